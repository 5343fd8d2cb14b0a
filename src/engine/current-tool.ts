// Resolves the current tool of a waiting call: tools may be added, removed or replaced while it waits.
import { ToolError } from '../errors.ts'
import type { Tool } from '../tool/tool.ts'
import type { ActiveCall } from './active-call.ts'
import { toolForExecutor } from './client-execution.ts'
import type { Engine } from './engine.ts'

/** Sets the call's tool to the one that is served now. Throws if it is not served, or no longer accepts the params. */
export function refreshTool(engine: Engine, live: ActiveCall, params: unknown) {
  const { tool: name, agent, workspace } = live.call
  const tool = engine.tools.find(name, { agent, workspace })
  if (!tool) throw new ToolError('UNKNOWN_TOOL', `The tool ${name} is currently not available.`)
  const current = toolForExecutor(tool, live.call)
  if (current === live.tool) return
  engine.tools.validate(tool, params)
  live.tool = current
}

/** Placeholder for a tool that is not served, or not yet, so that its calls can keep waiting or be ended. */
export const MISSING_TOOL: Tool = {
  name: 'absent',
  category: 'custom',
  description: '',
  input: {},
  output: {},
  timeout_ms: 1,
  effect: 'read',
  request: () => ({}),
  run: () => {
    throw new ToolError('UNKNOWN_TOOL', 'The tool of the call is currently not available.')
  },
  present: () => ({ title: '', content: '' })
}
