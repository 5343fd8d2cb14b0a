// Fixture: a hub on a database of the test's, with servers that send their journals to it.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pino } from 'pino'
import type { Test } from 'tap'
import { validateRule } from '../../src/app.ts'
import { consoleFiles } from '../../src/host/console-files.ts'
import type { Database } from '../../src/hub/database/database.ts'
import { createHub, RuleSigner } from '../../src/hub/hub.ts'
import type { OidcSignIn } from '../../src/hub/people/oidc.ts'
import { type Json, type StartOptions, startApp } from '../start-app.ts'
import { readFrames } from '../support/sse-frames.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { waitUntil, within } from '../support/wait.ts'

export const PERSON_TOKEN = 'a-token-of-a-person-at-the-hub'
export const OTHER_PERSON_TOKEN = 'a-token-of-another-person-at-the-hub'

/** A database that closing a hub leaves open. */
export const sameDatabase = (database: Database): Database => ({
  query: (...args) => database.query(...args),
  transaction: work => database.transaction(work),
  listen: (...args) => database.listen(...args),
  close: async () => {}
})

export const RULES_KEY = makeRulesKey()

export async function startHub(
  t: Test,
  database: Database,
  port = 0,
  { oidc, rulesKey = RULES_KEY, maxAgeDays }: { oidc?: OidcSignIn; rulesKey?: string; maxAgeDays?: number } = {}
) {
  // Also that of a proxy in front of it.
  const hosts: string[] = ['hub.example.com']
  const signer = new RuleSigner(rulesKey)
  const hub = await within(
    'the hub to start',
    createHub({
      database,
      people: [
        { token: PERSON_TOKEN, name: 'Ada' },
        { token: OTHER_PERSON_TOKEN, name: 'Ben' }
      ],
      oidc,
      consoleFiles: consoleFiles(),
      hosts: () => hosts,
      origins: ['https://hub.example.com'],
      rules: { signer, checkRule: validateRule },
      maxAgeDays,
      log: pino({ level: 'silent' })
    })
  )
  await hub.http.listen({ host: '127.0.0.1', port })
  const address = hub.http.server.address() as AddressInfo
  hosts.push(`127.0.0.1:${address.port}`)
  const url = `http://127.0.0.1:${address.port}`
  let closed: Promise<void> | undefined
  const close = () => (closed ??= within('the hub to close', hub.close()))
  t.teardown(close)
  const request = async (method: string, target: string, body?: unknown, token = PERSON_TOKEN) => {
    const response = await within(
      `the hub's answer to ${method} ${target}`,
      fetch(url + target, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' })
        },
        body: body === undefined ? null : JSON.stringify(body)
      })
    )
    const text = await response.text()
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Json }
  }
  return {
    url,
    port: address.port,
    rulesKey: signer.key,
    close,
    request,
    get: async (target: string) => (await request('GET', target)).body
  }
}

export type TestHub = Awaited<ReturnType<typeof startHub>>

/** Makes a private key that signs rules. */
export function makeRulesKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Enrolls a server at a hub, without starting it. */
export async function enroll(
  { request }: TestHub,
  name: string
): Promise<{ server_id: string; token: string; rules_key: string }> {
  const { code } = (await request('POST', '/enrolments', { name })).body
  return (await request('POST', '/uplink/servers', { facts: { host: 'test', version: '0.0.0', roots: [] } }, code)).body
}

/** Starts a server that is enrolled at a hub. */
export async function startServer(t: Test, hub: TestHub, name: string, options: StartOptions = {}) {
  const { server_id, token, rules_key } = await enroll(hub, name)
  const file = path.join(makeTestFolder(t), `${name}-token`)
  writeFileSync(file, `${token}\n`)
  const app = await startApp(
    t,
    {},
    {
      ...options,
      settings: {
        ...options.settings,
        hub: { url: hub.url, token_file: file, rules_key, on_outage: 'wait', ...options.settings?.hub }
      }
    }
  )
  return { ...app, server_id, token, tokenFile: file }
}

export type EnrolledApp = Awaited<ReturnType<typeof startServer>>

/** Resolves once the hub has all events of a server. */
export const caughtUp = ({ get }: Pick<EnrolledApp, 'get'>) =>
  waitUntil('the hub has all events', async () => {
    const { hub } = await get('/capabilities')
    return hub.state === 'connected' && hub.behind === 0
  })

/** Resolves with a call once it has ended. */
export const endedCall = ({ get }: Pick<EnrolledApp, 'get'>, tool_call_id: string) =>
  waitUntil('the call has ended', async () => {
    const call = await get(`/calls/${tool_call_id}?wait_ms=1000`)
    return call.finished_at && call
  })

/** Resolves with a decision at the hub once the server has answered it. */
export const answeredDecision = ({ get }: Pick<TestHub, 'get'>, decisionId: number) =>
  waitUntil('the decision has an answer', async () => {
    const decision = await get(`/decisions/${decisionId}`)
    return decision.state !== 'sent' && decision
  })

/** Returns the events that the hub has of a server, without those that it got since another one. */
export async function eventsOf({ url }: TestHub, serverId: string, wanted: number): Promise<Json[]> {
  const gone = new AbortController()
  const response = await fetch(`${url}/events?after=0`, {
    headers: { authorization: `Bearer ${PERSON_TOKEN}` },
    signal: gone.signal
  })
  const found: Json[] = []
  for await (const { id, data } of readFrames(response)) {
    const event = JSON.parse(data)
    if (event.server_id === serverId) found.push({ id: Number(id), ...event })
    if (found.length >= wanted) break
  }
  gone.abort()
  return found
}
