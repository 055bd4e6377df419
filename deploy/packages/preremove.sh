#!/bin/sh
# Before the files of a version go. Debian says "remove", rpm says 0, unless another version follows.
set -e

case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --quiet --now sluice.service sluice-sync.timer sluice-sync.service sluice-receiver.service
	fi
	;;
esac
