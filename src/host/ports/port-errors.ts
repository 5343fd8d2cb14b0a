// Errors of connections to ports of commands.
import { ToolError } from '../../errors.ts'

export const nothingListens = (port: number) =>
  new ToolError('NETWORK_ERROR', `Nothing in the command listens on port ${port} yet.`, { port })

export const foreignListener = (port: number) =>
  new ToolError('NETWORK_ERROR', `Another program than the command listens on port ${port}.`, { port })
