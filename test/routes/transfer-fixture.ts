// Fixture: a server and requests of bytes, for the routes of files.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import path from 'node:path'
import type { Test } from 'tap'
import type { Settings } from '../../src/config/settings.ts'
import { type Json, type StartOptions, startApp, TOKEN } from '../start-app.ts'
import { within } from '../support/wait.ts'

export const sha256 = (bytes: Uint8Array | string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
export const etagOf = (bytes: Uint8Array | string) => `"${sha256(bytes)}"`

export interface Sent {
  status: number
  headers: Headers
  bytes: Buffer
  json: Json
}

/** Starts a server; returns it with a function that sends bytes. */
export async function startTransfers(t: Test, files: Record<string, string> = {}, options: StartOptions = {}) {
  const app = await startApp(t, files, options)
  const send = async (
    method: string,
    target: string,
    body?: Uint8Array | string,
    { token = TOKEN, ...headers }: Record<string, string> = {}
  ): Promise<Sent> => {
    const init = {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body })
    }
    const response = await within(`the answer to ${method} ${target}`, fetch(app.url + target, init))
    const bytes = Buffer.from(await within('its body', response.arrayBuffer()))
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      json: isJson && bytes.length > 0 && JSON.parse(bytes.toString())
    }
  }
  const staged = () => {
    const folder = path.join(app.folder, 'state/uploads')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  return { ...app, send, staged }
}

/** Begins a request whose body is sent by hand. */
export function beginRequest(url: string, method: string, target: string, headers: Record<string, string | number>) {
  const { hostname, port } = new URL(url)
  const sent = { authorization: `Bearer ${TOKEN}`, ...headers }
  const request = httpRequest({ hostname, port, path: target, method, headers: sent })
  return request.on('error', () => {})
}

/** Returns settings with these rules of the user. */
export const withRules = (...user: Settings['tiers']['user']): StartOptions => ({
  settings: { tiers: { administrator: [], user, workspace: [] } }
})
export const ALLOW = withRules({ effect: 'allow', match: { tool: '*' } })
