{# Each row has the parent that its columns name. #}
{% test belongs_to(model, columns, parent, targets) %}
select child.*
from {{ model }} as child
left join {{ parent }} as parent
  on {% for column in columns %}{{ 'and ' if not loop.first }}child.{{ column }} = parent.{{ targets[loop.index0] }} {% endfor %}
where parent.{{ targets[0] }} is null
{% endtest %}
