-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: sourcebans
-- ------------------------------------------------------
-- Server version	10.11.6-MariaDB

/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;

DROP TABLE IF EXISTS `sb_bans`;
CREATE TABLE `sb_bans` (
  `bid` int(6) NOT NULL AUTO_INCREMENT,
  `ip` varchar(32) DEFAULT NULL,
  `authid` varchar(64) NOT NULL DEFAULT '',
  `name` varchar(128) NOT NULL DEFAULT 'unnamed',
  `created` int(11) NOT NULL DEFAULT 0,
  `ends` int(11) NOT NULL DEFAULT 0,
  `length` int(10) NOT NULL DEFAULT 0,
  `reason` text NOT NULL,
  `aid` int(6) NOT NULL DEFAULT 0,
  `adminIp` varchar(128) NOT NULL DEFAULT '',
  `sid` int(6) NOT NULL DEFAULT 0,
  `country` varchar(4) DEFAULT NULL,
  `RemovedBy` int(8) DEFAULT NULL,
  `RemoveType` varchar(3) DEFAULT NULL,
  `RemovedOn` int(10) DEFAULT NULL,
  `type` tinyint(4) NOT NULL DEFAULT 0,
  `ureason` text DEFAULT NULL,
  PRIMARY KEY (`bid`),
  FULLTEXT KEY `reason` (`reason`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

LOCK TABLES `sb_bans` WRITE;
INSERT INTO `sb_bans` VALUES
(1,'198.51.100.1','STEAM_0:0:4491990','O\'Neil 🔥',1700000000,1700000000,0,'Cheating',1,'192.0.2.1',3,'DE',NULL,NULL,NULL,0,NULL),
(2,NULL,'[u:1:8983981]','Alyx',1700000100,4000000000,2300000000,'Griefing',2,'',0,NULL,NULL,NULL,NULL,0,NULL),
(3,NULL,'76561197969249710','Barney',1700000200,1700003800,3600,'Spam',0,'',3,NULL,0,'E',1700003800,0,NULL),
(4,NULL,'STEAM_1:1:4491991','Eli',1700000300,1700000300,0,'Wallhack',1,'',3,NULL,2,'U',1700100000,0,'Appealed'),
(5,NULL,'STEAM_0:0:4491992','Judith',1700000400,1700000400,0,'Mistake',77,'',3,NULL,NULL,'D',NULL,0,NULL),
(6,'198.51.100.6','','Vortigaunt',1700000500,1700000500,0,'Ban evasion',1,'',3,NULL,NULL,NULL,NULL,1,NULL),
(7,'198.51.100.7','','Kleiner',1700000600,4000000000,2300000000,'Proxy',1,'',3,NULL,NULL,NULL,NULL,1,NULL),
(8,NULL,'STEAM_ID_PENDING','Gone',1700000700,1700000700,0,'Nothing',1,'',3,NULL,NULL,NULL,NULL,0,NULL),
(9,'not an address','','Gone',1700000800,1700000800,0,'Nothing',1,'',3,NULL,NULL,NULL,NULL,1,NULL),
(10,NULL,'STEAM_0:0:4491995','Gone',1700000900,1700000900,0,'Nothing',1,'',3,NULL,NULL,NULL,NULL,5,NULL),
(11,NULL,'STEAM_0:0:4491996','Mossman',0,0,0,'',1,'',3,NULL,NULL,NULL,NULL,0,NULL),
(12,NULL,'STEAM_0:0:4491997','Breen',1700001100,1700001100,0,'Expired early',1,'',3,NULL,0,'E',1700002000,0,NULL);
UNLOCK TABLES;

DROP TABLE IF EXISTS `sb_comms`;
CREATE TABLE `sb_comms` (
  `bid` int(6) NOT NULL AUTO_INCREMENT,
  `authid` varchar(64) NOT NULL,
  `name` varchar(128) NOT NULL DEFAULT 'unnamed',
  `created` int(11) NOT NULL DEFAULT 0,
  `ends` int(11) NOT NULL DEFAULT 0,
  `length` int(10) NOT NULL DEFAULT 0,
  `reason` text NOT NULL,
  `aid` int(6) NOT NULL DEFAULT 0,
  `adminIp` varchar(128) NOT NULL DEFAULT '',
  `sid` int(6) NOT NULL DEFAULT 0,
  `RemovedBy` int(8) DEFAULT NULL,
  `RemoveType` varchar(3) DEFAULT NULL,
  `RemovedOn` int(11) DEFAULT NULL,
  `type` tinyint(4) NOT NULL DEFAULT 0 COMMENT '1 - Mute, 2 - Gag',
  `ureason` text DEFAULT NULL,
  PRIMARY KEY (`bid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `sb_comms` VALUES
(1,'STEAM_0:0:4491990','O\'Neil 🔥',1700000000,1700000000,0,'Shouting',1,'',3,NULL,NULL,NULL,1,NULL),
(2,'STEAM_0:0:4491990','O\'Neil 🔥',1700000001,4000000000,2300000000,'Insults',0,'',3,NULL,NULL,NULL,2,NULL),
(3,'STEAM_0:0:4491990','O\'Neil 🔥',1700000002,1700000001,-1,'For the session',1,'',3,NULL,NULL,NULL,1,NULL),
(4,'STEAM_0:0:4491990','O\'Neil 🔥',1700000003,1700000003,0,'Nothing',1,'',3,NULL,NULL,NULL,7,NULL);

-- In another order than mysqldump writes them: names may come after the bans.
CREATE TABLE `sb_admins` (
  `aid` int(6) NOT NULL AUTO_INCREMENT,
  `user` varchar(64) NOT NULL,
  `authid` varchar(64) NOT NULL DEFAULT '',
  `password` varchar(128) NOT NULL,
  `gid` int(6) NOT NULL,
  `email` varchar(128) NOT NULL,
  PRIMARY KEY (`aid`),
  UNIQUE KEY `user` (`user`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `sb_admins` VALUES
(1,'gordon','STEAM_0:0:1','secret-hash',1,'gordon@example.org'),
(2,'alyx','STEAM_0:0:2','secret-hash',1,'alyx@example.org');

/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;
-- Dump completed on 2026-11-17 21:33:28
