// Requests for the bytes of files. The client loads them on first use: the web console has none.
import type { Call } from '../protocol/calls.ts'
import type { CallRequest } from './api-types.ts'
import type { HttpTransport } from './http-transport.ts'

export type UploadContent = NonNullable<RequestInit['body']>

/** Options of the call of a file's transfer. */
interface TransferOptions extends Pick<CallRequest, 'session_id' | 'workspace' | 'context' | 'agent'> {
  /** Maximum delay of the response in milliseconds, also through the approval. */
  wait_ms?: number
  signal?: AbortSignal
}

export interface DownloadOptions extends TransferOptions {
  /** One range, such as `bytes=0-1023`. */
  range?: string
  /** The `ETag` that the file must have. */
  if_match?: string
  /** The `ETag` that the file must have for the range to be sent; else all of it is. */
  if_range?: string
  /** The call of an earlier request, which has been approved since. */
  tool_call_id?: string
}

export interface UploadOptions extends TransferOptions {
  /** The `ETag` that the file must still have. */
  if_match?: string
  /** Write only if nothing is at the path. */
  if_none_match?: '*'
  /** Make the folders that are missing; true by default. */
  create_dirs?: boolean
}

export function downloadFile(
  transport: HttpTransport,
  path: string,
  { range, if_match, if_range, signal, ...query }: DownloadOptions
): Promise<Response> {
  const headers = { range, 'if-match': if_match, 'if-range': if_range }
  return transport.bytes('GET', toTarget(path), { query, headers, signal })
}

export function uploadFile(
  transport: HttpTransport,
  path: string,
  bytes: UploadContent,
  { if_match, if_none_match, signal, ...query }: UploadOptions
): Promise<Call> {
  const headers = { 'if-match': if_match, 'if-none-match': if_none_match }
  return transport.json('PUT', toTarget(path), { bytes, query, headers, signal })
}

const toTarget = (path: string) => `/files/${encodeURIComponent(path).replaceAll('%2F', '/')}`
