// Tests of `toolgate agent-hook`: events of agents' hooks, decided by the server.
// tier: full
import { readFileSync } from 'node:fs'
import t from 'tap'
import { connect } from '../../../../src/client/client.ts'
import type { Json } from '../../../start-app.ts'
import { createProject, serveProject } from '../../toolgate.ts'

const event = (hook_event_name: string, tool_name: string, tool_input: object, cwd = '/') =>
  JSON.stringify({ session_id: 's1', cwd, hook_event_name, tool_name, tool_input, tool_use_id: 'toolu_1' })

type Project = Pick<Awaited<ReturnType<typeof serveProject>>, 'toolgate' | 'client'>

/** Reports an event, and returns the decision that the hook prints. */
async function report({ toolgate }: Pick<Project, 'toolgate'>, ...parts: Parameters<typeof event>) {
  const { code, stdout, stderr } = await toolgate(['agent-hook', '--agent', 'claude-code'], {
    input: event(...parts)
  })
  t.match({ code, stderr }, { code: 0, stderr: '' })
  return stdout === '' ? undefined : (JSON.parse(stdout) as Json).hookSpecificOutput
}

/** Waits until a call needs a decision. */
async function waitForApproval({ client }: Project): Promise<Json> {
  for await (const _ of client.events({ types: ['tool.call'] })) {
    const [call] = await client.approvals()
    if (call) return call
  }
  throw new Error('The stream ended.')
}

const preToolUse = (permissionDecision: string, permissionDecisionReason: unknown) => ({
  ...{ hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason }
})

t.test('rules and people decide before a tool runs', async t => {
  const at = await serveProject(t, { 'a.txt': 'one\n', '.env': 'KEY=1\n' })
  const path = (name: string) => `${at.project}/${name}`
  t.same(
    await report(at, 'PreToolUse', 'Read', { file_path: path('a.txt') }),
    preToolUse('allow', 'Allowed by Toolgate.')
  )
  t.match(
    await report(at, 'PreToolUse', 'Read', { file_path: path('.env') }),
    preToolUse('deny', /\.env.* may contain credentials/)
  )
  const edit = { file_path: path('a.txt'), old_string: 'one', new_string: 'two' }
  const asking = report(at, 'PreToolUse', 'Edit', edit)
  const waiting = await waitForApproval(at)
  t.match(waiting, {
    tool: 'edit_file',
    executor: 'client',
    agent: 'claude-code',
    session_id: 'claude-code-s1',
    approval: { preview: { diff: /-one\n\+two/ } }
  })
  await at.client.approve(waiting.tool_call_id, { digest: waiting.approval.digest })
  t.match(await asking, preToolUse('allow', /./))

  const rejected = report(at, 'PreToolUse', 'Bash', { command: 'npm test', description: 'Tests' })
  const { tool_call_id } = await waitForApproval(at)
  await at.client.reject(tool_call_id, { reason: 'Not now.', user_message: 'Run one file.' })
  t.match(await rejected, preToolUse('deny', 'The call was rejected: Not now. Run one file.'))

  const changed = report(at, 'PreToolUse', 'Bash', { command: 'npm test' })
  const call = await waitForApproval(at)
  const modified_params = { command: 'npm run lint' }
  const { digest } = await at.client.dryRunModified(call, modified_params)
  await at.client.approve(call.tool_call_id, {
    digest: call.approval.digest,
    modified_params,
    modified_digest: digest!
  })
  t.match(await changed, preToolUse('deny', /changed the parameters\. Use these instead: \{"command":"npm run lint"\}/))
})

t.test('calls that the server cannot evaluate are left to the agent, until it asks', async t => {
  const at = await serveProject(t)
  t.equal(await report(at, 'PreToolUse', 'Read', { file_path: '/etc/hostname' }), undefined)
  t.equal(await report(at, 'PreToolUse', 'Task', { prompt: 'Find bugs.' }), undefined)
  t.equal(await report(at, 'PreToolUse', 'constructor', {}), undefined)
  t.equal(await report(at, 'PreToolUse', 'mcp__toolgate__read_file', {}), undefined)
  t.same(await report(at, 'PermissionRequest', 'mcp__toolgate__read_file', {}), {
    hookEventName: 'PermissionRequest',
    decision: { behavior: 'allow' }
  })
  for (const [tool, input] of [
    ['Read', { file_path: '/etc/hostname' }],
    ['Task', { prompt: 'Find bugs.' }]
  ] as const) {
    const asking = report(at, 'PermissionRequest', tool, input)
    const waiting = await waitForApproval(at)
    t.match(waiting, { tool: 'agent_action', params: { name: tool, input } })
    await at.client.reject(waiting.tool_call_id, { reason: 'No.' })
    t.same(await asking, {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'deny', message: 'The call was rejected: No.' }
    })
  }
})

t.test('a patch of Codex is an edit of the files in its folder', async t => {
  const at = await serveProject(t, { 'a.txt': 'one\n', 'sub/a.txt': 'two\n' })
  const patch = (...lines: string[]) => ({ command: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })
  const request = (input: object) => report(at, 'PermissionRequest', 'apply_patch', input, `${at.project}/sub`)
  const asking = request(patch('*** Update File: a.txt', '*** Move to: b.txt', '@@', '-two', '+three'))
  const waiting = await waitForApproval(at)
  t.match(waiting, { tool: 'apply_patch', executor: 'client', approval: { preview: { diff: /-two\n\+three/ } } })
  t.match(waiting.approval.preview.diff, /sub\/b\.txt/)
  await at.client.approve(waiting.tool_call_id, { digest: waiting.approval.digest })
  t.same(await asking, { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } })

  // None of them applies here: a person decides on what Codex reports.
  const others = [
    patch('*** Update File: a.txt', '@@', ' *** Add File: x', '+y'),
    patch('*** Add File: ../../x', '+y'),
    { command: 1 }
  ]
  for (const input of others) {
    const deciding = request(input)
    const call = await waitForApproval(at)
    t.match(call, { tool: 'agent_action', params: { name: 'apply_patch', input } })
    await at.client.reject(call.tool_call_id, { reason: 'No.' })
    t.match(await deciding, { decision: { behavior: 'deny', message: 'The call was rejected: No.' } })
  }
})

t.test('a call waits through a restart of the server', async t => {
  const at = await serveProject(t)
  const asking = report(at, 'PreToolUse', 'Bash', { command: 'npm test' })
  const { tool_call_id, approval } = await waitForApproval(at)
  at.server.process.stdin.end()
  await at.server.ended
  const { url, discovery_file } = await at.serveIn({ TOOLGATE_SANDBOX_LEVEL: 'none' })
  const client = connect({ url, token: JSON.parse(readFileSync(discovery_file, 'utf8')).token })
  await client.approve(tool_call_id, { digest: approval.digest })
  t.match(await asking, preToolUse('allow', /./))
})

t.test('without a server the call is denied, and invalid events are errors', async t => {
  const { toolgate } = createProject(t)
  t.match(
    await report({ toolgate }, 'PreToolUse', 'Bash', { command: 'ls' }),
    preToolUse('deny', /No server is running/)
  )
  t.match(await toolgate(['agent-hook'], { input: '{}' }), { code: 2, stderr: /is not an event of a hook/ })
})
