call keep_updated_at('properties');
call keep_history('properties', 'name', '{updated_at}');
call announce_changes('properties', 'name');
