-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: sourcebans
-- ------------------------------------------------------
-- Server version	8.0.36-0ubuntu0.22.04.1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!50503 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;
SET @MYSQLDUMP_TEMP_LOG_BIN = @@SESSION.SQL_LOG_BIN;
SET @@SESSION.SQL_LOG_BIN= 0;

--
-- GTID state at the beginning of the backup 
--

SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5';

--
-- Table structure for table `sb_bans`
--

DROP TABLE IF EXISTS `sb_bans`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `sb_bans` (
  `bid` int NOT NULL AUTO_INCREMENT,
  `ip` varchar(32) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin DEFAULT NULL,
  `authid` varchar(64) NOT NULL DEFAULT '',
  `name` varchar(128) NOT NULL DEFAULT 'unnamed' COMMENT 'it''s a name, NOT NULL',
  `created` int NOT NULL DEFAULT '0',
  `length` int NOT NULL DEFAULT '0',
  `price` decimal(10,2) unsigned DEFAULT NULL,
  `type` enum('ban','it''s','a,b)') DEFAULT NULL,
  `data` blob,
  `day` date GENERATED ALWAYS AS (from_unixtime(`created`)) VIRTUAL,
  PRIMARY KEY (`bid`),
  KEY `sid` (`authid`,`ip`),
  FULLTEXT KEY `name` (`name`) /*!50100 WITH PARSER `ngram` */ ,
  CONSTRAINT `sb_bans_chk_1` CHECK ((`length` >= 0))
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
/*!50100 PARTITION BY HASH (bid)
PARTITIONS 4 */;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `sb_bans`
--

LOCK TABLES `sb_bans` WRITE;
/*!40000 ALTER TABLE `sb_bans` DISABLE KEYS */;
INSERT INTO `sb_bans` (`bid`, `ip`, `authid`, `name`, `created`, `length`, `price`, `type`, `data`) VALUES (1,NULL,'STEAM_0:1:1500','O\'Neil; DROP -- x',1600000000,0,12.50,'ban',_binary '\0\'\\\n'),(2,'192.0.2.1','','Кот 🔥',1600000001,-60,NULL,'it\'s',NULL);
INSERT INTO `sb_bans` (`bid`, `ip`, `authid`, `name`, `created`, `length`, `price`, `type`, `data`) VALUES (3,'192.0.2.2','[U:1:3001]','),(',1600000002,18446744073709551615,-1e-07,'a,b)',0xFFFE00);
/*!40000 ALTER TABLE `sb_bans` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = cp866 */ ;
/*!50003 SET character_set_results = cp866 */ ;
/*!50003 SET collation_connection  = cp866_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `added` AFTER INSERT ON `sb_bans` FOR EACH ROW BEGIN
  -- a lonely ' and a "
  INSERT INTO sb_log VALUES (99, 'C:\', 0);
  INSERT INTO sb_log VALUES (98, ';;', 0);
END */;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Table structure for table `sb_log`
--

DROP TABLE IF EXISTS `sb_log`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `sb_log` (
  `lid` int unsigned NOT NULL AUTO_INCREMENT,
  `message` text NOT NULL,
  `created` timestamp NULL DEFAULT '0000-00-00 00:00:00',
  PRIMARY KEY (`lid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `sb_log`
--

LOCK TABLES `sb_log` WRITE;
/*!40000 ALTER TABLE `sb_log` DISABLE KEYS */;
INSERT INTO `sb_log` VALUES (1,'a \"quoted\" \\ path','0000-00-00 00:00:00'),(2,'',NULL);
/*!40000 ALTER TABLE `sb_log` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Temporary view structure for view `sb_view`
--

DROP TABLE IF EXISTS `sb_view`;
/*!50001 DROP VIEW IF EXISTS `sb_view`*/;
SET @saved_cs_client     = @@character_set_client;
/*!50503 SET character_set_client = utf8mb4 */;
/*!50001 CREATE VIEW `sb_view` AS SELECT 
 1 AS `bid`*/;
SET character_set_client = @saved_cs_client;

--
-- Dumping routines for database 'sourcebans'
--
/*!50003 DROP PROCEDURE IF EXISTS `fill` */;
DELIMITER ;;
CREATE DEFINER=`root`@`localhost` PROCEDURE `fill`()
BEGIN
  INSERT INTO sb_log VALUES (97, 'in a procedure', NULL);
  /* -- Dump completed */
END ;;
DELIMITER ;

--
-- Final view structure for view `sb_view`
--

/*!50001 DROP VIEW IF EXISTS `sb_view`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `sb_view` AS select `sb_bans`.`bid` AS `bid` from `sb_bans` */;
SET @@SESSION.SQL_LOG_BIN = @MYSQLDUMP_TEMP_LOG_BIN;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-17 21:33:28
