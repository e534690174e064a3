-- Secrets stay out of what is written down; so does what changes with every use.
create trigger record_change after insert or update or delete on access_tokens
for each row when (current_setting('mainstay.actor', true) <> '')
execute function record_change('id', 'value', 'salt', 'last_used_at');

-- Told to whom the tokens belong.
call announce_changes('access_tokens', 'person_id');
