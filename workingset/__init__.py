"""What stays in the agent's attention? Pure: values in, values out; no clock, file, chance or wire."""
