package plugin

import "testing"

// Procedures run on the interpreter of plugin/routine.
func TestProcedureVariablesAndHandlers(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, v DECIMAL(10,2), at DATETIME)",
		"INSERT INTO t VALUES (1, 1.50, '2024-01-31 10:00:00'), (2, 2.25, NULL), (3, NULL, '2024-02-29')")
	// A variable without DEFAULT is NULL, FALSE is a value, and an INTO in a loop
	// stays one.
	s.exec(`CREATE PROCEDURE summed(IN least DECIMAL(10,2), OUT total DECIMAL(10,2), OUT n INT)
BEGIN
  DECLARE done INT DEFAULT FALSE;
  DECLARE amount DECIMAL(10,2);
  DECLARE latest DATETIME;
  DECLARE c CURSOR FOR SELECT v FROM t ORDER BY id;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = TRUE;
  SET total = 0, n = 0;
  OPEN c;
  DELETE FROM t WHERE id = 1;
  fetching: LOOP
    FETCH c INTO amount;
    IF done THEN LEAVE fetching; END IF;
    SELECT MAX(at) INTO latest FROM t WHERE v = amount;
    IF amount >= least THEN SET total = total + amount, n = n + 1; END IF;
  END LOOP;
  CLOSE c;
  SELECT latest;
END`)
	s.is("NULL", "CALL summed(1, @s, @n)")
	s.is("3.75 | 2", "SELECT @s, @n")
	s.fails(1318, "CALL summed(1)")
	s.fails(1414, "CALL summed(1, 2, 3)")
	s.fails(1305, "CALL missing()")
	s.exec(`CREATE PROCEDURE guarded(IN x INT)
BEGIN
  DECLARE EXIT HANDLER FOR 1062 SELECT 'duplicate';
  DECLARE EXIT HANDLER FOR SQLSTATE '45000' BEGIN INSERT INTO t VALUES (99, 0, NULL); RESIGNAL SET MESSAGE_TEXT = 'again'; END;
  IF x = 0 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'first', MYSQL_ERRNO = 5001; END IF;
  INSERT INTO t VALUES (x, 1, NULL);
  SELECT 'stored';
END`)
	s.is("stored", "CALL guarded(10)")
	s.is("duplicate", "CALL guarded(10)")
	s.fails(5001, "CALL guarded(0)")
	s.is("1", "SELECT COUNT(*) FROM t WHERE id = 99")
	s.reopen()
	s.is("duplicate", "CALL guarded(10)")
}

// ST-087: the statements of a procedure belong to the caller's transaction, and
// under autocommit each to its own.
func TestProcedureTransactions(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY)",
		`CREATE PROCEDURE p(IN x INT) BEGIN
  INSERT INTO t VALUES (x);
  IF (SELECT COUNT(*) FROM t WHERE id = x - 1) = 0 THEN SIGNAL SQLSTATE '45000'; END IF;
  INSERT INTO t VALUES (x + 100);
END`)
	o := s.other()
	s.exec("BEGIN", "INSERT INTO t VALUES (1)", "CALL p(2)")
	s.is("1\n2\n102", "SELECT id FROM t ORDER BY id")
	o.is("0", "SELECT COUNT(*) FROM t")
	s.fails(1644, "CALL p(50)")
	s.is("1\n2\n50\n102", "SELECT id FROM t ORDER BY id")
	s.exec("ROLLBACK")
	s.is("0", "SELECT COUNT(*) FROM t")
	// Autocommit: what was finished before the error stays.
	s.fails(1644, "CALL p(7)")
	o.is("7", "SELECT id FROM t")
	s.exec("CALL p(8)")
	o.is("7\n8\n108", "SELECT id FROM t ORDER BY id")
	// A failed statement that a handler lets pass leaves nothing behind.
	s.exec(`CREATE PROCEDURE q() BEGIN
  DECLARE CONTINUE HANDLER FOR 1062 BEGIN END;
  INSERT INTO t VALUES (200), (7), (201);
  INSERT INTO t VALUES (202);
END`, "CALL q()")
	o.is("202", "SELECT id FROM t WHERE id >= 200")
	// COMMIT and ROLLBACK inside.
	s.exec(`CREATE PROCEDURE r() BEGIN
  START TRANSACTION; INSERT INTO t VALUES (300); COMMIT;
  START TRANSACTION; INSERT INTO t VALUES (301); ROLLBACK;
  INSERT INTO t VALUES (302);
END`, "CALL r()")
	o.is("300\n302", "SELECT id FROM t WHERE id >= 300")
	// Without autocommit the last statement waits for the caller's COMMIT.
	s.exec("SET autocommit = 0", "DELETE FROM t", "CALL r()")
	s.is("300\n302", "SELECT id FROM t")
	o.is("300", "SELECT id FROM t")
	s.exec("ROLLBACK")
	s.is("300", "SELECT id FROM t")
}

func TestProcedureStatements(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE DATABASE other", "CREATE TABLE other.t(id INT)", "INSERT INTO other.t VALUES (42)",
		"CREATE TABLE t(id INT)")
	// Names without a database belong to the procedure's, whatever is current.
	s.exec("CREATE PROCEDURE other.p() SELECT id, DATABASE() FROM t")
	s.is("42 | other", "CALL other.p()")
	s.is("d", "SELECT DATABASE()")
	// Temporary tables, prepared statements, nested calls with OUT parameters.
	s.exec(`CREATE PROCEDURE work(IN n INT, OUT total INT)
BEGIN
  DECLARE half INT;
  CREATE TEMPORARY TABLE tmp(id INT PRIMARY KEY);
  INSERT INTO tmp WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < n) SELECT i FROM r;
  SELECT SUM(id) FROM tmp INTO total;
  CALL halve(total, half);
  SELECT COUNT(*), total, half FROM tmp;
  DROP TABLE tmp;
END`, "CREATE PROCEDURE halve(IN n INT, OUT h INT) SET h = n DIV 2",
		`CREATE PROCEDURE dyn(IN name VARCHAR(64)) BEGIN
  SET @text = CONCAT('SELECT COUNT(*) FROM ', name);
  PREPARE st FROM @text; EXECUTE st; DEALLOCATE PREPARE st;
END`,
		"CREATE PROCEDURE down(IN n INT) IF n > 0 THEN CALL down(n - 1); ELSE SELECT 'bottom'; END IF",
		"CREATE PROCEDURE endless() CALL endless()")
	s.is("10 | 55 | 27", "CALL work(10, @total)")
	s.is("3 | 6 | 3", "CALL work(3, @total)")
	s.is("6", "SELECT @total")
	s.is("1", "CALL dyn('other.t')")
	s.is("bottom", "CALL down(5)")
	s.fails(1456, "CALL endless()")
	s.exec("CREATE TABLE log(x INT)", "CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW CALL note(NEW.id)",
		"CREATE PROCEDURE note(IN x INT) INSERT INTO log VALUES (x), (x * 10)")
	s.exec("INSERT INTO t VALUES (1), (2)")
	s.is("1\n2\n10\n20", "SELECT x FROM log ORDER BY x")
}
