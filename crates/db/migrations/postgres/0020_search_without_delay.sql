-- What is only put down to be sorted into the index later is gone through by every search until then.
ALTER INDEX users_username_search SET (fastupdate = off);
ALTER INDEX users_email_search SET (fastupdate = off);
SELECT gin_clean_pending_list('users_username_search'), gin_clean_pending_list('users_email_search');
