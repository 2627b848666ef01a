-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)

/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;

CREATE TABLE `sa_admins` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `player_name` varchar(128) NOT NULL,
  `player_steamid` bigint(20) DEFAULT NULL,
  `immunity` int(11) NOT NULL DEFAULT 0,
  `server_id` int(11) DEFAULT NULL,
  `ends` timestamp NULL DEFAULT NULL,
  `created` timestamp NOT NULL DEFAULT current_timestamp(),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `sa_admins` VALUES
(0,'Console',0,0,NULL,NULL,'2023-11-14 22:13:20'),
(4,'gordon',76561197960265730,99,NULL,NULL,'2023-11-14 22:13:20');

CREATE TABLE `sa_bans` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `player_name` varchar(128) DEFAULT NULL,
  `player_steamid` bigint(20) DEFAULT NULL,
  `player_ip` varchar(128) DEFAULT NULL,
  `admin_steamid` bigint(20) NOT NULL,
  `admin_name` varchar(128) NOT NULL,
  `reason` varchar(255) NOT NULL,
  `duration` int(11) NOT NULL,
  `ends` timestamp NULL DEFAULT NULL,
  `created` timestamp NOT NULL DEFAULT current_timestamp(),
  `server_id` int(11) DEFAULT NULL,
  `unban_id` int(11) DEFAULT NULL,
  `status` enum('ACTIVE','UNBANNED','EXPIRED','') NOT NULL DEFAULT 'ACTIVE',
  `updated_at` timestamp NULL DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `sa_bans` VALUES
(1,'Eli',76561197969249708,'198.51.100.1',76561197960265730,'gordon','Cheating',0,'2023-11-14 22:13:20','2023-11-14 22:13:20',3,NULL,'ACTIVE',NULL),
(2,NULL,NULL,'198.51.100.2',0,'Console','Proxy',0,NULL,'2023-11-14 22:13:20',NULL,NULL,'ACTIVE',NULL),
(3,'Barney',76561197969249710,NULL,0,'Console','Spam',60,'2023-11-14 23:13:20','2023-11-14 22:13:20',3,NULL,'EXPIRED',NULL),
(4,'Judith',76561197969249712,'nonsense',0,'Console','Mistake',0,NULL,'2023-11-14 22:13:20',4,1,'UNBANNED',NULL),
(5,'Gone',123,NULL,0,'Console','Nothing',0,NULL,'2023-11-14 22:13:20',3,NULL,'ACTIVE',NULL),
(6,'Gone',NULL,NULL,0,'Console','Nothing',0,NULL,'2023-11-14 22:13:20',3,NULL,'ACTIVE',NULL),
(7,'Mossman',76561197969249714,NULL,0,'Console','Zero date',90,'0000-00-00 00:00:00','0000-00-00 00:00:00',9,NULL,'ACTIVE',NULL),
(8,'Breen',76561197969249716,NULL,0,'Console','Lifted by nobody',0,NULL,'2023-11-14 22:13:20',3,NULL,'UNBANNED',NULL);

CREATE TABLE `sa_mutes` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `player_name` varchar(128) DEFAULT NULL,
  `player_steamid` bigint(20) DEFAULT NULL,
  `admin_steamid` bigint(20) NOT NULL,
  `admin_name` varchar(128) NOT NULL,
  `reason` varchar(255) NOT NULL,
  `duration` int(11) NOT NULL,
  `ends` timestamp NULL DEFAULT NULL,
  `created` timestamp NOT NULL DEFAULT current_timestamp(),
  `type` enum('GAG','MUTE','SILENCE','') NOT NULL DEFAULT 'GAG',
  `server_id` int(11) DEFAULT NULL,
  `unmute_id` int(11) DEFAULT NULL,
  `status` enum('ACTIVE','UNMUTED','EXPIRED','') NOT NULL DEFAULT 'ACTIVE',
  `passed` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `sa_mutes` VALUES
(1,'Eli',76561197969249708,0,'gordon','Shouting',0,NULL,'2023-11-14 22:13:20','MUTE',3,NULL,'ACTIVE',NULL),
(2,'Eli',76561197969249708,0,'gordon','Insults',0,NULL,'2023-11-14 22:13:20','GAG',3,NULL,'ACTIVE',NULL),
(3,'Eli',76561197969249708,0,'gordon','Both',0,NULL,'2023-11-14 22:13:20','SILENCE',3,2,'UNMUTED',NULL),
(4,'Eli',76561197969249708,0,'gordon','Nothing',0,NULL,'2023-11-14 22:13:20','',3,NULL,'ACTIVE',NULL);

CREATE TABLE `sa_unbans` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `ban_id` int(11) NOT NULL,
  `admin_id` int(11) NOT NULL DEFAULT 0,
  `reason` varchar(255) NOT NULL DEFAULT 'Unknown',
  `date` timestamp NOT NULL DEFAULT current_timestamp(),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `sa_unbans` VALUES (1,4,4,'Appealed','2023-11-16 02:00:00');

CREATE TABLE `sa_unmutes` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `mute_id` int(11) NOT NULL,
  `admin_id` int(11) NOT NULL DEFAULT 0,
  `reason` varchar(255) NOT NULL DEFAULT 'Unknown',
  `date` timestamp NOT NULL DEFAULT current_timestamp(),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO `sa_unmutes` VALUES (2,3,0,'Unknown','2023-11-16 02:00:00');

/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;
-- Dump completed on 2026-11-17 21:33:28
