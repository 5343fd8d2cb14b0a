// The tool of a call that waits: it may come, go, or become another one meanwhile.
import { ToolError } from '../errors.ts'
import type { Tool } from '../tool/tool.ts'
import type { ActiveCall } from './active-call.ts'
import type { Engine } from './engine.ts'

/** Gives the call its tool as it is served now. Throws where it is not served, or does not take the params any more. */
export function refreshTool(engine: Engine, live: ActiveCall, params: unknown) {
  const { tool: name, agent, workspace } = live.call
  const tool = engine.tools.find(name, { agent, workspace })
  if (!tool) throw new ToolError('UNKNOWN_TOOL', `${name} is not served now.`)
  if (tool === live.tool) return
  engine.tools.validate(tool, params)
  live.tool = tool
}

/** Stands in for a tool that is not served, or not yet, so that its calls can wait on or be ended. */
export const MISSING_TOOL: Tool = {
  name: 'absent',
  category: 'custom',
  description: '',
  input: {},
  output: {},
  timeout_ms: 1,
  effect: 'read',
  subject: () => ({}),
  run: () => {
    throw new ToolError('UNKNOWN_TOOL', 'The tool is not served now.')
  },
  present: () => ({ title: '', content: '' })
}
