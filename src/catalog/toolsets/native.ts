import type { Toolset } from '../toolset.ts'

/** The server's own names, said outright. */
export const native: Toolset = {
  name: 'native',
  about: "The server's own names.",
  spelling: 'snake',
  serves_all: true,
  also: ['custom', 'mcp'],
  envelope: 'call',
  value: 'data',
  names: {},
  notes: []
}
