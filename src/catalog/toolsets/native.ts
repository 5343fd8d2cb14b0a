import type { Toolset } from '../toolset.ts'

/** The native names as an explicit toolset. */
export const nativeToolset: Toolset = {
  name: 'native',
  description: 'Native names.',
  namingStyle: 'snake',
  servesAll: true,
  passthroughCategories: ['custom', 'mcp'],
  envelope: 'call',
  resultFormat: 'data',
  tools: {},
  notes: []
}
