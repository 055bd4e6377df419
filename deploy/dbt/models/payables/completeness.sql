-- The view as it is: this package adds no logic.
select * from {{ source('analytics', 'completeness') }}
