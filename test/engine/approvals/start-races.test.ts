// Race tests: a command runs what was shown, whatever other calls, commands and jobs of the session do as it starts.
// tier: full
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { CALL_TOKEN, type Json, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'

/** `TAP_TIMEOUT=3600 TEST_RACES=1000 node test/engine/approvals/start-races.test.ts` makes a thousand tries of each kind. */
const TRIES = Number(process.env.TEST_RACES ?? 20)

/** Maximum number of tries until the script has run once. */
const MAX_TRIES = 10 * TRIES

const GOOD = 'echo good\n'
const GOOD_OUTPUT = 'good\n'
const EVIL = 'echo evil\n'

type Level = 'none' | 'workspace'

const FILES = { good: GOOD, evil: EVIL, 's.sh': GOOD }

/** Starts a server with an agent, and a person who approves only commands whose preview shows the good script. */
async function start(t: Test, level: Level, files: Record<string, string> = FILES) {
  const sandbox = { ...defaultSettings().sandbox, level }
  const app = await startApp(t, files, { settings: { sandbox } })
  const agent = (tool: string, params: object): Promise<Json> => app.callAs(CALL_TOKEN, tool, params)
  /** Approves a call; returns it once it has ended, or is asked about again. */
  async function approve({ tool_call_id, approval }: Json): Promise<Json> {
    await app.post(`/calls/${tool_call_id}/approve?wait_ms=0`, { digest: approval.digest, confirm: true })
    return waitUntil('the approved call to end or ask again', async () => {
      const call = await app.get(`/calls/${tool_call_id}`)
      return call.status !== 'queued' && call.status !== 'running' && call
    })
  }

  /** Returns what the script printed; undefined if it was not approved or did not run. */
  async function tryOnce(meanwhile: () => Promise<unknown> = async () => {}): Promise<string | undefined> {
    const asked = await agent('shell_exec', { command: 'sh s.sh' })
    const { text = '', information = [] } = asked.approval?.preview ?? {}
    const isGood =
      /^Executes s.sh:\n {4}echo good$/m.test(text) ||
      (text === 'sh s.sh\ncwd: .' && /s.sh, unchanged/.test(information.join('\n')))
    const [ended] = isGood ? await Promise.all([approve(asked), meanwhile()]) : []
    if (ended?.status === 'success') return ended.result.data.stdout
    if (asked.tool_call_id) await app.post(`/calls/${asked.tool_call_id}/cancel`, {})
    return undefined
  }

  /** Counts the outputs of many tries. */
  async function tryOften(meanwhile?: () => Promise<unknown>) {
    const seen: Record<string, number> = {}
    // On a busy machine the script may rarely win a race: without a run, the tries would show nothing.
    for (let i = 0; i < TRIES || (seen[GOOD_OUTPUT] === undefined && i < MAX_TRIES); i++) {
      const output = String(await tryOnce(meanwhile))
      seen[output] = (seen[output] ?? 0) + 1
    }
    return seen
  }
  return { ...app, agent, approve, tryOften }
}

function compare(t: Test, { 'evil\n': evil, 'good\n': good, ...others }: Record<string, number>) {
  t.equal(evil, undefined, 'nothing ran that was not shown')
  t.ok(good, 'the script ran in some tries')
  t.same(
    Object.keys(others).filter(output => output !== 'undefined'),
    []
  )
  t.comment(`${good} good, ${others.undefined ?? 0} not run`)
}

t.test('file tools', async t => {
  const { agent, post, tryOften } = await start(t, 'none', {})
  await agent('write_file', { path: 's.sh', content: GOOD })
  await agent('write_file', { path: 'evil', content: EVIL })
  let races = true
  /** Moves a file once no running command executes it; returns whether it has. */
  const move = async (from: string, to: string) => {
    while (races) {
      const { status, tool_call_id, approval } = await agent('move_file', { from, to })
      if (status === 'success') return true
      if (!(status === 'awaiting_approval' && /still running \(tc_\w+\) executes s\.sh/.test(approval.reason))) {
        t.fail(`the move of ${from} to ${to} is ${status}`, { tool_call_id, approval })
        return false
      }
      await post(`/calls/${tool_call_id}/cancel`, {})
      await pause(10)
    }
    return false
  }
  const racing = (async () => {
    while (races) {
      const steps = [
        ['s.sh', 'aside'],
        ['evil', 's.sh'],
        ['s.sh', 'evil'],
        ['aside', 's.sh']
      ] as const
      for (const [from, to] of steps) if (!(await move(from, to))) return
      await pause(10)
    }
  })()
  const seen = await tryOften()
  races = false
  await racing
  compare(t, seen)
})

t.test('file tools, right when the call leaves the approval', needs('bwrap'), async t => {
  const { agent, approve, get, post } = await start(t, 'workspace')
  for (const [folder, word] of [
    ['good-folder', 'good'],
    ['evil-folder', 'evil']
  ])
    await agent('write_file', { path: `${folder}/x.js`, content: `console.log('${word}')\n` })
  await agent('move_file', { from: 'good-folder', to: 'current' })
  const exchange = async (aside: string, next: string) => {
    await agent('move_file', { from: 'current', to: aside })
    await agent('move_file', { from: next, to: 'current' })
  }
  for (let i = 0; i < Math.min(TRIES, 10); i++) {
    const asked = await agent('shell_exec', { command: 'node current/x.js' })
    t.equal(asked.status, 'awaiting_approval')
    const approving = approve(asked)
    await waitUntil('the approval', async () => {
      const { status } = await get(`/calls/${asked.tool_call_id}`)
      return status !== 'awaiting_approval'
    })
    await exchange('good-folder', 'evil-folder')
    const { status, result } = await approving
    if (status === 'success') t.equal(result.data.stdout, 'good\n')
    else await post(`/calls/${asked.tool_call_id}/cancel`, {})
    await exchange('evil-folder', 'good-folder')
  }
})

const FLIP = 'cp evil new && mv new s.sh; cp good new && mv new s.sh'

for (const level of ['none', 'workspace'] as const) {
  t.test(`a job, isolation ${level}`, needs(level === 'none' ? 'linux' : 'bwrap'), async t => {
    const { agent, tryOften, approve } = await start(t, level)
    const job = await agent('shell_background', { command: `while :; do ${FLIP}; sleep 0.02; done` })
    const { tool_call_id } = await approve(job)
    const seen = await tryOften()
    await agent('stop_background_task', { task_id: tool_call_id })
    compare(t, seen)
  })

  t.test(`a command, isolation ${level}`, needs(level === 'none' ? 'linux' : 'bwrap'), async t => {
    const { agent, tryOften, approve } = await start(t, level)
    const flip = async () => approve(await agent('shell_exec', { command: FLIP }))
    compare(t, await tryOften(flip))
  })
}
