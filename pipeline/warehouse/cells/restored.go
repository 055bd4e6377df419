package cells

import "context"

const sqlLetGo = `
UPDATE sluice.homes SET state = 'left', peer = $2, move = gen_random_uuid()::text, changed_at = clock_timestamp(),
	moved_rows = NULL, dropped_at = NULL
WHERE organization_id = $1 AND state IN ('here', 'leaving', 'sealed')`

// LetGo makes the target let go of an organization that is at home in the source, too, because the
// target's database was restored from a backup of before a move. Its rows there are dropped. It
// returns ErrElsewhere unless both say that it is at home there.
func (m *Move) LetGo(ctx context.Context) error {
	homes, release, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer release()
	ended := homes[1].State == Left && homes[1].Peer == m.From.Name // an earlier try dropped not all
	if homes[0].State != Here || !homes[1].State.AtHome() && !ended {
		return m.elsewhere(homes[0], homes[1])
	}
	if !ended {
		if err := m.exec(ctx, m.To, sqlLetGo, m.Organization, m.From.Name); err != nil {
			return err
		}
		if homes, err = m.homes(ctx); err != nil {
			return err
		}
	}
	return m.clear(ctx, homes[1])
}
