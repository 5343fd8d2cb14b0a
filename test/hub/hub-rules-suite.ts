// Tests of the rules of a hub that hold on any of its databases.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import type { Database } from '../../src/hub/database/database.ts'
import { RuleSigner, type SignedRuleSet } from '../../src/uplink/rule-set.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import {
  caughtUp,
  type EnrolledApp,
  makeRulesKey,
  RULES_KEY,
  sameDatabase,
  startHub,
  startServer,
  type TestHub
} from './start-hub.ts'

const DENY_TOUCH = { effect: 'deny', match: { command: 'touch', mode: 'prefix' }, reason: 'Not here' }

/** Saves rules at the hub instead of those before. */
async function save(hub: TestHub, rules: readonly object[], more: object = {}) {
  const { version } = await hub.get('/rules')
  return hub.request('PUT', '/rules', { rules, replaces: version, ...more })
}

/** Resolves with what the hub knows of a server once it satisfies a condition. */
const serverWhen = (hub: TestHub, { server_id }: Pick<EnrolledApp, 'server_id'>, isWanted: (server: Json) => boolean) =>
  waitUntil('the hub knows the rules of the server', async () => {
    const { servers } = await hub.get('/servers')
    const server = servers.find((each: Json) => each.server_id === server_id)
    return isWanted(server) && server
  })

/** Returns the events of a server's journal about rules of the hub. */
async function announcements({ get, events }: Pick<TestApp, 'get' | 'events'>): Promise<Json[]> {
  const { head } = await get('/state')
  const stream = await events('?after=0')
  const all = await stream.until(({ seq, event }) => seq === head && event !== 'stream.snapshot')
  stream.close()
  return all.filter(({ event }) => event === 'hub_rules.changed')
}

const inForce = async (hub: TestHub, server: EnrolledApp) => {
  const { version } = await hub.get('/rules')
  return serverWhen(hub, server, ({ rules_version }) => rules_version === version)
}

export async function hubRulesSuite(t: Test, openDatabase: () => Promise<Database>) {
  const database = await openDatabase()
  const hub = await startHub(t, database)

  await t.test("rules of the hub are in force at its servers at once, and rank as the administrator's", async t => {
    const server = await startServer(t, hub, 'ruled', {
      settings: {
        tiers: {
          administrator: [],
          user: [
            { effect: 'allow', match: { command: 'touch', mode: 'prefix' } },
            { effect: 'ask', match: { command: 'mkdir', mode: 'prefix' } }
          ],
          workspace: []
        }
      }
    })
    t.match(await server.call('shell_exec', { command: 'touch a.txt' }), { status: 'success' }, "the user's rule")
    const waiting = await server.call('shell_exec', { command: 'chmod 600 a.txt' })
    t.equal(waiting.status, 'awaiting_approval')
    const rules = [
      DENY_TOUCH,
      { effect: 'deny', match: { command: 'chmod', mode: 'prefix' } },
      { effect: 'allow', match: { command: 'mkdir', mode: 'prefix' } },
      { effect: 'allow', match: { command: 'ln', mode: 'prefix' } }
    ]
    const saved = await save(hub, rules)
    t.match(saved, { status: 200, body: { saved_by: 'Ada', rules, fault: null } })
    const { version } = saved.body
    t.match(await inForce(hub, server), { rules_version: version, rules_refused: null })
    t.match(await server.call('shell_exec', { command: 'touch b.txt' }), { status: 'rejected', reason: 'Not here' })
    t.match(
      await server.call('shell_exec', { command: 'mkdir b' }),
      { status: 'awaiting_approval' },
      "the user's ask stays"
    )
    t.match(await server.call('shell_exec', { command: 'ln -s a.txt c.txt' }), { status: 'success' }, 'the hub allows')
    const { digest } = waiting.approval
    t.match(
      await server.request('POST', '/approve', { tool_call_id: waiting.tool_call_id, digest }),
      { status: 403, body: { detail: /hub rule: deny/ } },
      'a call that waits'
    )
    const explained = await server.post('/policy/explain', { tool: 'shell_exec', params: { command: 'touch d' } })
    t.match(explained.verdict, {
      decision: 'deny',
      matched_rules: [{ tier: 'administrator', source: 'hub', effect: 'deny', reason: 'Not here' }]
    })
    t.match((await server.get('/rules')).hub, { version, saved_by: 'Ada', rules })
    const asAgent = await server.request('GET', '/rules', undefined, { authorization: `Bearer ${CALL_TOKEN}` })
    t.notOk('hub' in asAgent.body, 'agents do not read them')
    t.match((await server.get('/capabilities')).hub.rules, { version, count: 4, saved_by: 'Ada' })
    await caughtUp(server)
    t.match(
      (await hub.get('/servers')).servers.find((each: Json) => each.server_id === server.server_id),
      { rules_version: version }
    )
    t.match(await announcements(server), [{ version, rules: 4, saved_by: 'Ada' }])
    await save(hub, [])
    const { versions } = await hub.get('/rules/versions')
    t.match(versions.slice(0, 2), [
      { count: 0, saved_by: 'Ada', fault: null },
      { version, count: 4, saved_at: saved.body.saved_at, saved_by: 'Ada', fault: null }
    ])
    t.same(Object.keys(versions[0]).sort(), ['count', 'fault', 'saved_at', 'saved_by', 'version'])
    await inForce(hub, server)
    t.match(
      await server.call('shell_exec', { command: 'touch b.txt' }),
      { status: 'success' },
      'an empty set ends them'
    )
  })

  await t.test('rules that cannot hold are refused, with the place of each error', async t => {
    const { version: replaces } = await hub.get('/rules')
    const put = (rules: unknown, more: object = {}) => hub.request('PUT', '/rules', { rules, replaces, ...more })
    const refusals: [unknown, string][] = [
      [[{ effect: 'forbid', match: { tool: 'x' } }], '/rules/0/effect'],
      [[DENY_TOUCH, { effect: 'deny', match: { tol: 'x' } }], '/rules/1/match/tol'],
      [[DENY_TOUCH, { effect: 'deny', match: {} }], '/rules/1'],
      [[{ effect: 'deny', match: { tool: 'x' }, aprover: 'hub' }], '/rules/0/aprover'],
      [[{ effect: 'deny', match: { tool: 'x' }, approver: 'hub' }], '/rules/0'],
      [[{ effect: 'deny', match: { pattern: '(' } }], '/rules/0'],
      [[{ effect: 'allow', match: { path: 'a/**' }, examples: { match: ['b'] } }], '/rules/0']
    ]
    for (const [rules, pointer] of refusals)
      t.match(await put(rules), { status: 400, body: { errors: [{ pointer }] } }, JSON.stringify(rules))
    t.match(
      await hub.request('PUT', '/rules', { rules: [], replaces: 1 }),
      { status: 409 },
      'others were saved meanwhile'
    )
    t.equal((await put(Array.from({ length: 1_001 }, () => DENY_TOUCH))).status, 400)
    const large = Array.from({ length: 900 }, () => ({ ...DENY_TOUCH, reason: 'x'.repeat(300) }))
    t.equal((await put(large)).status, 413)
    t.equal((await hub.get('/rules')).version, replaces, 'nothing was saved')
  })

  await t.test('a set that the key has not signed, or an older one, changes nothing', async t => {
    const server = await startServer(t, hub, 'wary')
    await save(hub, [DENY_TOUCH])
    const first = await hub.get('/rules')
    await save(hub, [DENY_TOUCH, { effect: 'deny', match: { tool: 'git_push' } }])
    const second = await hub.get('/rules')
    await inForce(hub, server)
    const readSet = async (version: number) => {
      const columns = 'SELECT payload, signature, key FROM rule_sets WHERE version = $1'
      const [set] = await database.query<SignedRuleSet>(columns, [version])
      return set!
    }
    const { payload, signature, key } = await readSet(second.version)
    // An attacker who controls the database, and has another key.
    const stranger = new RuleSigner(makeRulesKey())
    let number = second.version
    const insert = async (set: SignedRuleSet) => {
      number += 1
      await database.query(
        `INSERT INTO rule_sets (version, payload, signature, key, saved_by, saved_at) VALUES ($1, $2, $3, $4, 'Eve', now())`,
        [number, set.payload, set.signature, set.key]
      )
      await database.query(`SELECT pg_notify('toolgate_rules', '')`)
    }
    const open = { version: number + 1_000, saved_at: new Date().toISOString(), saved_by: 'Eve', rules: [] }
    const attempts: [string, SignedRuleSet, RegExp][] = [
      ['another key', stranger.sign(open), /signed with the key/],
      ['a signature of another key', { ...stranger.sign(open), key }, /signature .* is invalid/],
      ['other content', { payload: payload.replace('Not here', 'Here'), signature, key }, /signature .* is invalid/],
      ['an older set', await readSet(first.version), /has version \d+, but this server already had version \d+/]
    ]
    for (const [name, set, reason] of attempts) {
      await insert(set)
      const { rules_version } = await serverWhen(hub, server, ({ rules_refused }) => reason.test(rules_refused?.reason))
      t.equal(rules_version, second.version, name)
      t.match(await server.call('shell_exec', { command: 'touch a.txt' }), { status: 'rejected' }, name)
      const { hub: state } = await server.get('/capabilities')
      t.match(state.rules, { version: second.version, refused: { reason } }, name)
    }
    const shown = await hub.get('/rules')
    t.match(shown, { rules: null, fault: /is not the version that was signed/ }, 'people do not edit what was changed')
    const { versions } = await hub.get('/rules/versions')
    t.match(versions[0], { count: null, saved_by: null, fault: /is not the version that was signed/ })
    t.match(versions[1], { count: null, fault: /signature .* is invalid/ })
    t.match(versions[4], { version: second.version, count: 2, fault: null })
    await save(hub, [])
    t.match(await inForce(hub, server), { rules_refused: null })
  })

  await t.test('rules that the server knows hold without the hub, until it leaves', async t => {
    await save(hub, [DENY_TOUCH])
    const { version } = await hub.get('/rules')
    const server = await startServer(t, hub, 'traveller')
    await inForce(hub, server)
    await server.close()
    const settings = (url: string | undefined, rules_key = hub.rulesKey) => ({
      settings: {
        hub: { ...(url !== undefined && { url, token_file: server.tokenFile }), rules_key, on_outage: 'wait' as const }
      },
      folder: server.folder
    })
    const command = { command: 'touch a.txt' }
    const announced = async (app: TestApp) => (await announcements(app)).map(({ version }: Json) => version)

    const away = 'http://127.0.0.1:9'
    const state = path.join(server.folder, 'state', 'hub-rules.json')
    writeFileSync(state, readFileSync(state, 'utf8').replace(hub.url, away))
    const offline = await startApp(t, {}, settings(away))
    t.match(await offline.call('shell_exec', command), { status: 'rejected', reason: 'Not here' }, 'the hub is away')
    t.same(await announced(offline), [version], 'nothing has changed')
    await offline.close()

    const foreign = await startApp(t, {}, settings(away, new RuleSigner(makeRulesKey()).key))
    t.match(await foreign.call('shell_exec', command), { status: 'awaiting_approval' }, 'signed with another key')
    await foreign.close()

    const left = await startApp(t, {}, settings(undefined))
    t.match(await left.call('shell_exec', command), { status: 'awaiting_approval' }, 'it has left the hub')
    t.notOk('hub' in (await left.get('/rules')))
    t.same(await announced(left), [version, null])
    await left.close()

    const back = await startApp(t, {}, settings(away))
    t.match(await back.call('shell_exec', command), { status: 'rejected' }, 'it is back')
    t.same(await announced(back), [version, null, version])
    await back.close()

    writeFileSync(state, readFileSync(state, 'utf8').replace('Not here', 'Anywhere'))
    const changed = await startApp(t, {}, settings(away))
    t.match(await changed.call('shell_exec', command), { status: 'awaiting_approval' }, 'the file was changed')
    t.match((await changed.get('/capabilities')).hub.rules, { refused: { reason: /signature .* is invalid/ } })
    await changed.close()
  })

  await t.test('processes of the hub with other keys, or none, do not sign', async t => {
    await save(hub, [])
    const other = await startHub(t, sameDatabase(database), 0, { rulesKey: makeRulesKey() })
    t.match(await save(other, [DENY_TOUCH]), {
      status: 409,
      body: { detail: /signed with the key .*, but this process/ }
    })
    t.match(await other.get('/rules'), { fault: /signed with the key/, rules: null })
    t.match(await save(other, [DENY_TOUCH], { key: other.rulesKey }), { status: 200 }, 'the key is changed on purpose')
    t.match(await save(hub, [], { key: hub.rulesKey }), { status: 200 })
    const { privateKey } = generateKeyPairSync('x25519')
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    for (const wrong of [pem, 'no key', RULES_KEY.slice(0, 60)])
      t.throws(() => new RuleSigner(wrong), /must contain an Ed25519 private key/)
  })
}
