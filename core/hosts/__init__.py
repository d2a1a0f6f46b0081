"""Pull from and push to the memories of the hosts, in place."""
