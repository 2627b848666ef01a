-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)

/*!50503 SET NAMES utf8mb4 */;
/*!40103 SET TIME_ZONE='+00:00' */;

CREATE TABLE `iks_admins` (
  `id` int NOT NULL AUTO_INCREMENT,
  `steam_id` varchar(17) NOT NULL,
  `name` varchar(64) NOT NULL,
  `flags` varchar(32) DEFAULT NULL,
  `immunity` int DEFAULT NULL,
  `is_disabled` int NOT NULL DEFAULT '0',
  `created_at` int NOT NULL,
  `updated_at` int NOT NULL,
  `deleted_at` int DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `iks_admins` VALUES (1,'CONSOLE','CONSOLE',NULL,0,0,1700000000,1700000000,NULL),(2,'76561197960265730','gordon','z',9,0,1700000000,1700000000,NULL);

CREATE TABLE `iks_bans` (
  `id` int NOT NULL AUTO_INCREMENT,
  `steam_id` bigint DEFAULT NULL,
  `ip` varchar(32) DEFAULT NULL,
  `name` varchar(128) DEFAULT NULL,
  `duration` int NOT NULL,
  `reason` varchar(128) NOT NULL,
  `ban_type` tinyint NOT NULL DEFAULT '0' COMMENT '0 - SteamId, 1 - Ip, 2 - Both',
  `server_id` int DEFAULT NULL,
  `admin_id` int NOT NULL,
  `unbanned_by` int DEFAULT NULL,
  `unban_reason` varchar(128) DEFAULT NULL,
  `created_at` int NOT NULL,
  `end_at` int NOT NULL,
  `updated_at` int NOT NULL,
  `deleted_at` int DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `iks_bans` VALUES
(1,76561197969249708,'198.51.100.1','Eli',0,'Cheating',0,3,2,NULL,NULL,1700000000,0,1700000000,NULL),
(2,NULL,'198.51.100.2','Barney',2300000000,'Proxy',1,NULL,1,NULL,NULL,1700000000,4000000000,1700000000,NULL),
(3,76561197969249710,'198.51.100.3','Judith',0,'Evasion',2,NULL,2,NULL,NULL,1700000000,0,1700000000,NULL),
(4,76561197969249712,NULL,NULL,0,'Mistake',0,NULL,2,1,'Appealed',1700000000,0,1700100000,NULL),
(5,76561197969249714,NULL,'Gone',0,'Deleted',0,NULL,2,NULL,NULL,1700000000,0,1700100000,1700100000),
(6,76561197969249716,NULL,'Far',0,'Elsewhere',0,8,2,NULL,NULL,1700000000,0,1700000000,NULL),
(7,5,NULL,'Gone',0,'Nothing',0,NULL,2,NULL,NULL,1700000000,0,1700000000,NULL);

CREATE TABLE `iks_comms` (
  `id` int NOT NULL AUTO_INCREMENT,
  `steam_id` bigint NOT NULL,
  `ip` varchar(32) DEFAULT NULL,
  `name` varchar(128) DEFAULT NULL,
  `mute_type` int NOT NULL COMMENT '0 - voice(mute), 1 - chat(gag), 2 - both(silence)',
  `duration` int NOT NULL,
  `reason` varchar(128) NOT NULL,
  `server_id` int DEFAULT NULL,
  `admin_id` int NOT NULL,
  `unbanned_by` int DEFAULT NULL,
  `unban_reason` varchar(128) DEFAULT NULL,
  `created_at` int NOT NULL,
  `end_at` int NOT NULL,
  `updated_at` int NOT NULL,
  `deleted_at` int DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `iks_comms` VALUES
(1,76561197969249708,NULL,'Eli',0,0,'Shouting',NULL,2,NULL,NULL,1700000000,0,1700000000,NULL),
(2,76561197969249708,NULL,'Eli',1,0,'Insults',NULL,9,NULL,NULL,1700000000,0,1700000000,NULL),
(3,76561197969249708,NULL,'Eli',2,3600,'Both',NULL,2,NULL,NULL,1700000000,1700003600,1700000000,NULL),
(4,76561197969249708,NULL,'Eli',3,0,'Nothing',NULL,2,NULL,NULL,1700000000,0,1700000000,NULL);
-- Dump completed on 2026-11-17 21:33:28
