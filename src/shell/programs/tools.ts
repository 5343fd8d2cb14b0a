// Programs of which only the configuration matters, and facts that many of these have in common.
import { UNKNOWN } from '../executed/source-finder.ts'
import type { Configuration, ProgramFacts } from './program.ts'

const { plugins, tests, build, scripts } = UNKNOWN

export const PLUGINS: Configuration = { unknown: plugins }
export const NEAREST_PLUGINS: Configuration = { search: 'nearest', unknown: plugins }
export const CONFIGURED_PLUGINS: Configuration = { config: '-c --config', unknown: plugins }
export const TESTS: Configuration = { unknown: tests }
export const CONFIGURED_TESTS: Configuration = { config: '-c --config', unknown: tests }
export const BUILD: Configuration = { unknown: build }
export const NEAREST_BUILD: Configuration = { search: 'nearest', unknown: build }
export const CONFIGURED_BUILD: Configuration = { config: '-c --config', unknown: build }
export const SCRIPTS: Configuration = { unknown: scripts }

/** Defines a program by its configuration. */
export const tool = (names: string, ...configuration: readonly Configuration[]): ProgramFacts => ({
  names,
  configuration
})

/** Defines programs by what their configurations have in common, and the configuration of each. */
export const tools = (common: Configuration, own: Readonly<Record<string, Configuration>>): ProgramFacts[] =>
  Object.entries(own).map(([names, configuration]) => tool(names, { ...common, ...configuration }))
