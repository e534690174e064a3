-- Secrets stay out of what is written down; so does what changes with every use.
call keep_history('access_tokens', 'id', '{value, salt, last_used_at}');

-- Told to whom the tokens belong.
call announce_changes('access_tokens', 'person_id');
