package plugin

import "container/list"

// preparedTexts remembers, in order of last use, the statement texts that a
// connection has prepared. The engine's session keeps each text's syntax tree
// until it is told to drop it, and the protocol does not tell it.
type preparedTexts struct {
	order  *list.List // of string, the last used first
	byText map[string]*list.Element
}

// use notes that text is prepared and returns the text to drop to stay within
// preparedMax.
func (p *preparedTexts) use(text string) (drop string, full bool) {
	if p.order == nil {
		p.order, p.byText = list.New(), map[string]*list.Element{}
	}
	if e, ok := p.byText[text]; ok {
		p.order.MoveToFront(e)
		return "", false
	}
	p.byText[text] = p.order.PushFront(text)
	if p.order.Len() <= preparedMax {
		return "", false
	}
	drop = p.order.Remove(p.order.Back()).(string)
	delete(p.byText, drop)
	return drop, true
}

// clear forgets all texts; the session that had them is gone.
func (p *preparedTexts) clear() { *p = preparedTexts{} }
