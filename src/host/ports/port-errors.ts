// Errors of connections to ports of commands.
import { ToolError } from '../../errors.ts'

export const nothingListens = (port: number) =>
  new ToolError('NETWORK_ERROR', `The command does not listen on port ${port} yet. Try again.`, { port })

export const foreignListener = (port: number) =>
  new ToolError('NETWORK_ERROR', `Another program listens on port ${port}.`, { port })
