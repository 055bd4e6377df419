#!/bin/sh
# After the files of a version went. Only Debian's purge removes what the operator wrote. A private
# Postgres server is a warehouse, which no package removes.
set -e

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
if [ "$1" = purge ]; then
	rm -rf /etc/sluice
	if [ -e /var/lib/sluice/data/PG_VERSION ]; then
		echo "sluice: /var/lib/sluice contains a Postgres server with a warehouse, and stays" >&2
	else
		rm -rf /var/lib/sluice
	fi
fi
