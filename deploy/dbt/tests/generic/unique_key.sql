{# No two rows share the key, and no part of it is null. #}
{% test unique_key(model, columns) %}
select {{ columns | join(', ') }}
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1 {% for column in columns %}or {{ column }} is null {% endfor %}
{% endtest %}
