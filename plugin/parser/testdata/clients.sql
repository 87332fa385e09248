-- What clients send at connect, dump and restore time; every statement must parse.
/*!50503 SET NAMES utf8mb4 */;
SET @MYSQLDUMP_TEMP_LOG_BIN = @@SESSION.SQL_LOG_BIN;
SET @@SESSION.SQL_LOG_BIN= 0;
SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '';
/*!50606 SET @OLD_INNODB_STATS_AUTO_RECALC=@@INNODB_STATS_AUTO_RECALC */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ /*!80016 DEFAULT ENCRYPTION='N' */;
CREATE TABLE `orders` (
  `id` bigint unsigned NOT NULL AUTO_INCREMENT,
  `at` datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `t` time(3) DEFAULT NULL,
  `y` year(4) DEFAULT NULL,
  `note` varchar(200) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL COMMENT 'it''s',
  `state` enum('new','paid') NOT NULL DEFAULT 'new',
  `total` decimal(12,2) GENERATED ALWAYS AS ((`id` * 1.5)) STORED,
  `doc` json DEFAULT NULL,
  `place` point NOT NULL /*!80003 SRID 4326 */,
  PRIMARY KEY (`id`),
  UNIQUE KEY `u` (`note`(10) DESC,`id`) /*!80000 INVISIBLE */,
  KEY `f` ((lower(`note`))),
  SPATIAL KEY `place` (`place`),
  FULLTEXT KEY `note` (`note`) /*!50100 WITH PARSER `ngram` */,
  CONSTRAINT `fk` FOREIGN KEY (`id`) REFERENCES `parents` (`id`) ON DELETE CASCADE ON UPDATE RESTRICT,
  CONSTRAINT `c1` CHECK ((`id` > 0)) /*!80016 NOT ENFORCED */
) ENGINE=InnoDB AUTO_INCREMENT=17 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci STATS_PERSISTENT=1 ROW_FORMAT=DYNAMIC COMMENT='x'
/*!50100 PARTITION BY RANGE (`id`)
(PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,
 PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;
CREATE TABLE `parts` (`id` int NOT NULL) /*!50100 PARTITION BY HASH (`id`) PARTITIONS 4 */;
CREATE TABLE t1 (a int, b varchar(10) charset latin1, c text charset utf8mb4 collate utf8mb4_bin, key(a) using btree comment 'x' visible);
CREATE TABLE t2 (a int, b int, index i (a desc, b), index j (b) invisible) data directory='/x' union=(t1);
LOCK TABLES `orders` WRITE;
/*!40000 ALTER TABLE `orders` DISABLE KEYS */;
INSERT INTO `orders` (`id`) VALUES (1),(2);
/*!40000 ALTER TABLE `orders` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET sql_mode              = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `tr` BEFORE INSERT ON `orders` FOR EACH ROW BEGIN
  -- a comment; with a semicolon
  IF NEW.id > 10 /* and '*' too */ THEN SET NEW.note = 'a */ b'; END IF;
END */;;
DELIMITER ;
/*!50106 SET @save_time_zone= @@TIME_ZONE */ ;
DELIMITER ;;
/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`localhost`*/ /*!50106 EVENT `ev` ON SCHEDULE EVERY 1 DAY STARTS '2020-01-01 00:00:00' ON COMPLETION NOT PRESERVE ENABLE DO DELETE FROM orders */ ;;
CREATE DEFINER=`root`@`%` FUNCTION `fn`(a INT, b VARCHAR(20) CHARSET utf8mb4) RETURNS varchar(40) CHARSET utf8mb4 COLLATE utf8mb4_bin
    READS SQL DATA
    DETERMINISTIC
    SQL SECURITY INVOKER
    COMMENT 'x;y'
BEGIN
  DECLARE r VARCHAR(40) CHARSET utf8mb4;
  SET r = CONCAT(a, b);
  RETURN r;
END ;;
CREATE DEFINER=CURRENT_USER() PROCEDURE `pr`(IN a INT, OUT b INT)
    NO SQL
label1: BEGIN
  SET b = a + 1;
END label1 ;;
DELIMITER ;
/*!50001 DROP VIEW IF EXISTS `v`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `v` AS select `orders`.`id` AS `id` from `orders` */;
CREATE OR REPLACE ALGORITHM=MERGE DEFINER=CURRENT_USER SQL SECURITY INVOKER VIEW w AS SELECT 1 AS a;
CREATE SQL SECURITY INVOKER VIEW x AS SELECT 1 AS a;
CREATE DEFINER='u'@'h' VIEW y AS SELECT 1 AS a;
CREATE DEFINER = CURRENT_USER TRIGGER tr3 AFTER DELETE ON t1 FOR EACH ROW SET @x = 1;
CREATE DEFINER=CURRENT_USER EVENT IF NOT EXISTS ev2 ON SCHEDULE EVERY 1 HOUR DO SET @x = 1;
CREATE TRIGGER IF NOT EXISTS tr4 AFTER DELETE ON t1 FOR EACH ROW SET @x = 1;
CREATE PROCEDURE IF NOT EXISTS p4() SELECT 1;
CREATE FUNCTION IF NOT EXISTS f4() RETURNS INT DETERMINISTIC RETURN 1;
DROP FUNCTION IF EXISTS `fn`;
DROP PROCEDURE IF EXISTS `pr`;
DROP TRIGGER IF EXISTS `shop`.`tr`;
ALTER VIEW v AS SELECT 2 AS a;
ALTER FUNCTION fn COMMENT 'new' SQL SECURITY INVOKER;
ALTER PROCEDURE pr COMMENT 'new';
SHOW VARIABLES LIKE 'gtid\_mode';
SHOW VARIABLES LIKE 'ndbinfo\_version';
SHOW CREATE DATABASE IF NOT EXISTS `shop`;
SHOW FULL TABLES;
SHOW TABLE STATUS LIKE 'orders';
SHOW FIELDS FROM `orders`;
SHOW TRIGGERS LIKE 'orders';
SHOW CREATE TRIGGER `tr`;
SHOW CREATE FUNCTION `fn`;
SHOW FUNCTION STATUS WHERE Db = 'shop';
SHOW FUNCTION STATUS LIKE 'f%';
SHOW PROCEDURE STATUS WHERE Db = 'shop';
SHOW EVENTS;
SHOW STATUS LIKE 'binlog_snapshot_%';
SHOW ENGINE INNODB STATUS;
SHOW ENGINES;
SHOW WARNINGS;
SHOW SESSION STATUS LIKE 'Ssl_cipher';
SHOW FULL COLUMNS FROM `orders` FROM `shop`;
SHOW KEYS FROM orders;
SHOW INDEX FROM orders IN shop;
SELECT /*!40001 SQL_NO_CACHE */ * FROM `orders`;
SELECT SQL_NO_CACHE 1;
START TRANSACTION /*!40100 WITH CONSISTENT SNAPSHOT */;
SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;
FLUSH /*!40101 LOCAL */ TABLES;
FLUSH TABLES WITH READ LOCK;
/*!40100 SET @@SQL_MODE='' */;
/*M!100100 SET WAIT_TIMEOUT=DEFAULT */;
/*M!999999\- enable the sandbox mode */;
/*!999999\- enable the sandbox mode */;
CHECK TABLE `orders`, shop.t1 EXTENDED;
CHECK TABLE t1 FOR UPGRADE;
REPAIR TABLE t1 QUICK;
OPTIMIZE TABLE t1;
OPTIMIZE LOCAL TABLE t1, t2;
ANALYZE TABLE t1;
ANALYZE NO_WRITE_TO_BINLOG TABLE t1;
CHECKSUM TABLE t1, t2 EXTENDED;
/* mysql-connector-j-8.4.0 (Revision: x) */SELECT  @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@license AS license, @@max_allowed_packet AS max_allowed_packet, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS system_time_zone, @@time_zone AS time_zone, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout;
SET character_set_results = NULL;
SET sql_mode='STRICT_TRANS_TABLES';
SET NAMES 'utf8mb4' COLLATE 'utf8mb4_general_ci';
SET CHARACTER SET utf8;
select @@version_comment limit 1;
select DATABASE(), USER() limit 1;
select @@session.transaction_read_only;
SELECT @@max_allowed_packet,@@system_time_zone,@@time_zone,@@auto_increment_increment,@@tx_isolation AS tx_isolation;
SET autocommit=1, sql_mode = concat(@@sql_mode,',STRICT_TRANS_TABLES');
DO SLEEP(0), RELEASE_LOCK('x');
KILL QUERY 5;
USE `shop`;
SELECT N'x' AS n, n'y', _utf8mb4'z' 'tail';
SELECT 5--3 AS eight;
SELECT `größe`, größe, a$b FROM tabellé;
SELECT a FROM t FOR SHARE;
SELECT a FROM t FOR SHARE OF t SKIP LOCKED;
SELECT a FROM t, u FOR UPDATE OF t NOWAIT FOR SHARE OF u;
SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP;
SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u FOR SHARE NOWAIT);
