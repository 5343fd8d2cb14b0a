// What a toolset is: the names of another tool system as data, each with the tool that does its work here, its params by
// the other's names, and the form of its answer.
import type { Category } from '../tool/tool.ts'
import type { EnvelopeName } from './toolsets/envelopes.ts'
import type { ResultFormatName } from './toolsets/result-formats.ts'

/** A param as a toolset calls it. What is not said here is as with the tool's own param. */
export interface ParamMapping {
  /** Name of the tool's own param, where that is another one. */
  to?: string
  /** It goes to the request instead: the call runs in the background. */
  requestField?: 'background'
  required?: boolean
  /** What the tool is given where it is left out, in the tool's own measure. */
  default?: unknown
  /** The tool's own value is this many times the given one, such as milliseconds for seconds. */
  factor?: number
  /** A smaller value counts as left out. */
  min?: number
  /** A larger value is cut to this. */
  max?: number
  /** Only these values. */
  values?: readonly string[]
  description?: string
  /** The document does not have it: it is offered since something could not be had without. */
  isExtension?: true
}

/** One name of a toolset. */
export interface ToolMapping {
  /** The tool that does it. */
  tool: string
  /** In place of the tool's own. */
  description?: string
  /** All params that it takes. Without them it takes those of the tool, in the toolset's spelling. */
  params?: Readonly<Record<string, ParamMapping>>
  /** What the tool is always given. */
  fixedParams?: Readonly<Record<string, unknown>>
  /** Time limit of a run, instead of the tool's own. */
  timeout_ms?: number
  /** Form of the answer's value; by default the toolset's. */
  resultFormat?: ResultFormatName
  /** Endings of a param's value that the document refuses outright. */
  refusedSuffixes?: Readonly<Record<string, string>>
  /** What is stricter or otherwise here than the document has it. */
  note?: string
}

export interface Toolset {
  name: string
  /** What kind of system its names are from. */
  description: string
  tools: Readonly<Record<string, ToolMapping>>
  /** How params and answers are spelled where no name says otherwise. */
  namingStyle: 'snake' | 'camel'
  /** Names may carry this in front, or leave it away. */
  prefix?: string
  /** It serves every other tool too, by its own name behind the prefix. */
  servesAll?: true
  /** Tools of these categories are served by their own names: others have brought them. */
  passthroughCategories: readonly Category[]
  /** Params that every name takes besides. */
  extraParams?: Readonly<Record<string, ParamMapping>>
  envelope: EnvelopeName
  resultFormat: ResultFormatName
  /** What is otherwise here in general: one sentence each. */
  notes: readonly string[]
}
