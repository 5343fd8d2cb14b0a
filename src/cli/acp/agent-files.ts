// The agent's requests to read and write files, as calls. The editor provides unsaved text, if it can.
import type { ReadTextFileRequest, WriteTextFileRequest } from '@agentclientprotocol/sdk'
import { runAgentCall } from '../agent-calls.ts'
import { AcpError } from './message.ts'
import type { AcpPeer } from './peer.ts'
import { type AcpSession, assertSuccess } from './session.ts'

interface FileAccess {
  session: AcpSession
  /** Set if the editor can return the text of files, saved or not. */
  editor: AcpPeer | undefined
  signal: AbortSignal
}

const MAX_LENGTH = 16 * 1_048_576

/** Returns the text of a file: that of the editor, if it can, else the saved one. */
export async function readTextFile(access: FileAccess, params: ReadTextFileRequest): Promise<{ content: string }> {
  const { session, editor, signal } = access
  const { path, line, limit } = params
  if (!editor) return { content: await readSaved(access, params) }
  const range = { ...(line && { offset: line }), ...(limit && { limit }) }
  const call = await runAgentCall(
    session,
    { tool: 'read_file', params: { path, ...range }, executor: 'client' },
    signal
  )
  assertSuccess(call)
  return editor.request('fs/read_text_file', params, signal)
}

async function readSaved({ session, signal }: FileAccess, { path, line, limit }: ReadTextFileRequest): Promise<string> {
  let content = ''
  let offset = line || 1
  let left = limit ?? Number.POSITIVE_INFINITY
  while (left > 0) {
    const params = { path, offset, ...(Number.isFinite(left) && { limit: left }) }
    const { result } = assertSuccess(await runAgentCall(session, { tool: 'read_file', params }, signal))
    const page = result.data as { content: string; lines: number; total_lines: number }
    content += page.content
    if (content.length > MAX_LENGTH) throw new AcpError(`${path} is too large. Read it in parts, by line and limit.`)
    offset += page.lines
    left -= page.lines
    if (page.lines === 0 || offset > page.total_lines) break
    if (!content.endsWith('\n')) content += '\n'
  }
  return content
}

/** Writes a file, unless the editor has unsaved changes of it. */
export async function writeTextFile(access: FileAccess, { path, content }: WriteTextFileRequest): Promise<object> {
  await assertSaved(access, path)
  assertSuccess(await runAgentCall(access.session, { tool: 'write_file', params: { path, content } }, access.signal))
  return {}
}

async function assertSaved(access: FileAccess, path: string): Promise<void> {
  const { session, editor, signal } = access
  const sessionId = await session.acpId
  const shown = await editor
    ?.request<{ content: string }>('fs/read_text_file', { sessionId, path }, signal)
    .catch(() => {})
  const saved = shown && (await readSaved(access, { sessionId, path }).catch(() => undefined))
  if (!shown || saved === undefined || withoutLastEol(shown.content) === withoutLastEol(saved)) return
  throw new AcpError(`${path} has unsaved changes in the editor. Ask the user to save or discard them first.`)
}

const withoutLastEol = (text: string) => text.replaceAll('\r\n', '\n').replace(/\n$/, '')
