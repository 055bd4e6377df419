#!/bin/sh
# After the files of a version went. Only Debian's purge removes what the operator wrote.
set -e

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
if [ "$1" = purge ]; then
	rm -rf /etc/sluice /var/lib/sluice
fi
