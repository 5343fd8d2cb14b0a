// The error for a call that the hub does not have.
import { ToolError } from '../errors.ts'

export const unknownCallError = (serverId: string, toolCallId: string) =>
  new ToolError('NOT_FOUND', `The server ${serverId} has sent no call ${toolCallId} to the hub.`)
