// Registry of the built-in tools.
import type { Tool } from '../tool/tool.ts'
import codeTools from './code/index.ts'
import commandTools from './commands/index.ts'
import editorTools from './editor/index.ts'
import fileTools, { transferTools } from './files/index.ts'
import gitTools from './git/index.ts'
import mcpTools from './mcp/index.ts'
import searchTools from './search/index.ts'
import sessionTools, { agentAction } from './session/index.ts'
import webTools from './web/index.ts'

export const TOOLS: readonly Tool[] = [
  ...fileTools,
  ...searchTools,
  ...codeTools,
  ...commandTools,
  ...gitTools,
  ...webTools,
  ...sessionTools,
  ...editorTools,
  ...mcpTools
]

/** Tools that are served, for rules and the journal, but not listed: routes and agents call them. */
export const UNLISTED_TOOLS: readonly Tool[] = [...transferTools, agentAction]
