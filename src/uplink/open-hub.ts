// Connects a server to its hub: with a token from a file, or with one that the server got for a code before.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ToolError } from '../errors.ts'
import type { ServerFacts } from '../protocol/uplink.ts'
import { writePrivateFile } from '../server/private-files.ts'
import { HubClient, parseHubUrl } from './hub-client.ts'

const TOKEN_FILE = 'hub-token.json'

/** The settings of the hub. */
export interface HubSettings {
  url?: string | undefined
  token_file?: string | undefined
  rules_key?: string | undefined
}

interface HubOptions {
  settings: HubSettings
  state_dir: string
  fetch: typeof fetch
}

/** Returns the client of the configured hub; undefined if there is none. Throws if there is no token for it. */
export function openHub({ settings, state_dir, fetch }: HubOptions): HubClient | undefined {
  if (settings.url === undefined) return undefined
  const url = parseHubUrl(settings.url)
  return new HubClient({ url, token: readToken(url, settings, state_dir), fetch })
}

/** Returns the public key with which the rules of the configured hub are signed, as far as it is known. */
export function findRulesKey({ url, rules_key }: HubSettings, state_dir: string): string | undefined {
  if (rules_key !== undefined || url === undefined) return rules_key
  const kept = readKeptToken(state_dir)
  return kept?.url === parseHubUrl(url) ? kept.rules_key : undefined
}

/** Exchanges a code for this server's own token at a hub, and keeps it in the state folder. */
export async function enrollAtHub(
  { hubUrl, code, state_dir, facts }: { hubUrl: string; code: string; state_dir: string; facts: ServerFacts },
  send: typeof fetch,
  signal: AbortSignal
): Promise<{ server_id: string }> {
  const url = parseHubUrl(hubUrl)
  const enrolled = await new HubClient({ url, token: code, fetch: send }).enroll(facts, signal)
  const { server_id, token, rules_key } = enrolled
  writePrivateFile(state_dir, TOKEN_FILE, `${JSON.stringify({ url, server_id, token, rules_key })}\n`)
  return { server_id }
}

function readToken(url: string, { token_file }: HubSettings, state_dir: string): string {
  if (token_file !== undefined) return readFileSync(token_file, 'utf8').trim()
  const kept = readKeptToken(state_dir)
  if (kept?.url === url) return kept.token
  throw new ToolError(
    'UNAUTHORIZED',
    `This server has no token for the hub ${url}. Create a code at the hub (toolgate hub enroll), and start the server ` +
      'once with --hub-code CODE. Or set hub.token_file.'
  )
}

interface KeptToken {
  url: string
  token: string
  rules_key?: string | undefined
}

function readKeptToken(state_dir: string): KeptToken | undefined {
  try {
    return JSON.parse(readFileSync(join(state_dir, TOKEN_FILE), 'utf8')) as KeptToken
  } catch {
    return undefined
  }
}
