SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";
/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE `t` (
  `id` int(11) NOT NULL,
  `data` blob DEFAULT NULL
) ENGINE=InnoDB COMMENT='it''s';
INSERT INTO `t` (`id`, `data`) VALUES
(1, 0xfffe), (2, b'01'), (-3, 'it\'s'), (4, NULL);
DELIMITER $$
CREATE PROCEDURE `p` () BEGIN SELECT ';'; END$$
DELIMITER ;
ALTER TABLE `t`
  ADD PRIMARY KEY (`id`);
COMMIT;
