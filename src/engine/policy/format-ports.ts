/** Formats ports for a sentence: `port 5173`, `ports 3000 and 5173`. */
export const formatPorts = (ports: readonly number[]): string =>
  ports.length === 1 ? `port ${ports[0]}` : `ports ${ports.slice(0, -1).join(', ')} and ${ports.at(-1)}`
