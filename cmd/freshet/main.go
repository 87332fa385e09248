package main

import (
	"os"

	"github.com/freshetdb/freshet/cmd/freshet/command"
)

func main() { os.Exit(command.Run(os.Args[1:])) }
