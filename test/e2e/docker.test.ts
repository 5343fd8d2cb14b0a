// Tests of the image without a container engine: the steps of the Dockerfile run in a clean folder, by an unprivileged user, with
// every path of the image under that folder. The base image and its system packages are taken as given.
import { spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { parseCodeBlocks } from '../markdown.ts'
import { once, run } from '../support/wait.ts'
import { instructionText, parseEnvironment } from './dockerfile.ts'
import { asUser, buildImage, getSkipReason, giveToUser, image, rebasePaths, stages, user } from './image.ts'

const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { dev?: boolean }>
}
const developmentOnly = Object.entries(locked).flatMap(([place, { dev }]) =>
  dev ? [place.slice('node_modules/'.length)] : []
)
/** Returns which files about a process another one of the same user can read. */
async function readBySameUser(pid: number): Promise<string> {
  const script = `for (const name of ['environ', 'maps', 'auxv', 'mem', 'fd/0', 'root/etc/passwd'])
    try { require('fs').closeSync(require('fs').openSync('/proc/${pid}/' + name)); console.log(name) } catch {}`
  return (await run(process.execPath, ['-e', script], asUser)).stdout
}

const missing = await getSkipReason()
t.test('the image builds, starts, is healthy and works', { skip: missing ?? false }, async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tg-image-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const root = await buildImage(t, folder)

  const packages = globSync('{*,@*/*}', { cwd: path.join(root, 'app/node_modules') })
  t.ok(packages.includes('prom-client'))
  t.same(
    packages.filter(name => developmentOnly.includes(name)),
    [],
    'what is for development alone is left out'
  )

  const launcher = path.join(root, `app/native/build/linux-${process.arch}/toolgate-confine`)
  t.match(JSON.parse((await run(launcher, ['--report-abi'], asUser)).stdout), { min_abi: 6, filter: true })

  const port = String(await freePort())
  const here = (text: string) => rebasePaths(root, text).replaceAll('7700', port)
  const offered = Object.entries(parseEnvironment(image)).map(([name, value]) => [name, here(value)] as const)
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(offered),
    PATH: [path.join(root, 'usr/local/bin'), path.dirname(process.execPath), process.env.PATH].join(':'),
    // Like a read-only file system: the home cannot be written.
    HOME: path.join(root, 'nowhere')
  }
  t.equal(env.TOOLGATE_SANDBOX_LEVEL, 'container')
  // As an engine marks the first process of a container.
  env.container = 'oci'
  const tokens = { full: 'f'.repeat(64), call: 'c'.repeat(64) }
  secret(env.TOOLGATE_TOKEN_FILE!, tokens.full)
  secret(env.TOOLGATE_CALL_TOKEN_FILE!, tokens.call)
  const cwd = path.join(root, 'workspace')
  writeFileSync(path.join(cwd, 'a.txt'), 'a\n')
  const [healthcheck, ...healthArgs] = JSON.parse(here(instructionText(image, 'HEALTHCHECK').split(' CMD ')[1]!)) as [
    string,
    ...string[]
  ]
  const healthy = () =>
    run(healthcheck, healthArgs, { env, ...asUser }).then(
      () => true,
      () => false
    )
  t.equal(await healthy(), false, 'nothing is healthy before it runs')

  const command = [
    ...JSON.parse(here(instructionText(image, 'ENTRYPOINT'))),
    ...JSON.parse(here(instructionText(image, 'CMD')))
  ] as string[]
  t.same(command.slice(0, 2), ['tini', '--'], 'process 1 collects what is left behind')
  const [program, ...args] = command.slice(2) as [string, ...string[]]
  const server = spawn(program, args, { cwd, env, ...asUser, stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => server.kill('SIGKILL'))
  await once(createInterface({ input: server.stdout }), 'line')
  t.equal(await healthy(), true)
  t.match(readFileSync(`/proc/${server.pid}/status`, 'utf8'), new RegExp(`^Uid:\\s+${user.uid}\\s`, 'm'))
  t.not(user.uid, 0)
  if (Object.keys(asUser).length > 0) t.equal(await readBySameUser(server.pid!), '', "the server's process is hidden")

  const url = `http://127.0.0.1:${port}`
  const send = async (token: string, target: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(url + target, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as { tool_call_id: string; approval: { digest: string } }
  }
  t.match(await send(tokens.call, '/calls', { tool: 'read_file', params: { path: 'a.txt' } }), {
    status: 'success',
    result: { data: { content: 'a\n' } }
  })
  const found = await send(tokens.call, '/calls', { tool: 'grep', params: { pattern: 'a' } })
  t.match(found, { status: 'success', result: { data: { matches: [{ path: 'a.txt', line: 1 }] } } })
  writeFileSync(
    path.join(cwd, 'peek.sh'),
    `cat ${env.TOOLGATE_STATE_DIR}/*/*/* ${env.TOOLGATE_TOKEN_FILE} /proc/${server.pid}/environ; kill -0 ${server.pid}`
  )
  const line = 'id -u; pwd; bash peek.sh'
  const asked = await send(tokens.call, '/calls', { tool: 'shell_exec', params: { command: line } })
  const listed = await run('toolgate', ['approvals', '--root', cwd], { cwd, env, ...asUser })
  t.match(listed.stdout, asked.tool_call_id, 'the command works inside the container')
  const { digest } = asked.approval
  t.match(await send(tokens.call, `/calls/${asked.tool_call_id}/approve`, { digest }), { code: 'FORBIDDEN' })
  t.match(await send(tokens.full, `/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true }), {
    status: 'success',
    result: { data: { stdout: `${user.uid}\n${cwd}\n`, exit_code: 1, isolation: 'container' } }
  })
  t.match(await send(tokens.call, '/calls', { tool: 'shell_exec', params: { command: 'cat a.txt' } }), {
    status: 'success',
    approved_by: { source: 'auto' },
    result: { data: { stdout: 'a\n', isolation: 'read-only' } }
  })

  rmSync(path.join(cwd, 'peek.sh'))
  const state = path.join(root, 'state')
  t.equal(globSync(path.join(state, 'workspaces/*/journal.db')).length, 1, 'the journal is in the volume')
  t.equal(globSync(path.join(state, 'run/*.json')).length, 1, 'and so is the discovery file')
  t.equal(statSync(state).mode & 0o777, 0o700)
  t.same(globSync('{*,.*}', { cwd }), ['a.txt'], 'nothing of ours is in the workspace')
  server.kill('SIGTERM')
  t.same(await once(server, 'exit'), [0, null])
})

t.test('the image runs as an unprivileged user, and reports its features', async t => {
  t.match(instructionText(image, 'USER'), /^(?!root|0)/)
  const operations = image.instructions.map(({ op }) => op)
  t.ok(operations.indexOf('USER') > operations.lastIndexOf('RUN'), 'nothing is installed by it')
  t.equal(instructionText(image, 'EXPOSE'), parseEnvironment(image).TOOLGATE_PORT)
  const [, needed] = /NEEDED = \[(\d+),/.exec(readFileSync('bin/toolgate.cjs', 'utf8'))!
  for (const { from } of stages) t.match(from, new RegExp(`^node:${needed}-`))
})

t.test('the documented compose file matches the image', async t => {
  const block = parseCodeBlocks(readFileSync('docs/docker.md', 'utf8')).find(({ mark }) => mark === 'compose')!
  const { services, secrets, volumes, networks } = parse(block.text)
  const { toolgate, agent } = services
  const env = parseEnvironment(image)
  t.same(
    Object.keys(secrets).map(name => `/run/secrets/${name}`),
    [env.TOOLGATE_TOKEN_FILE, env.TOOLGATE_CALL_TOKEN_FILE]
  )
  t.same(toolgate.secrets, Object.keys(secrets))
  t.same(agent.secrets, ['toolgate_call_token'], 'the agent cannot approve')
  t.equal(agent.environment.TOOLGATE_TOKEN_FILE, env.TOOLGATE_CALL_TOKEN_FILE)
  t.equal(agent.environment.TOOLGATE_URL, `http://${toolgate.environment.TOOLGATE_ALLOWED_HOSTS}`)
  t.match(toolgate.environment.TOOLGATE_ALLOWED_HOSTS, new RegExp(`:${env.TOOLGATE_PORT}$`))
  t.same(
    toolgate.volumes.map((volume: string) => volume.split(':')[1]),
    ['/workspace', env.TOOLGATE_STATE_DIR]
  )
  t.same(Object.keys(volumes), ['state'])
  t.same(agent.networks, ['inside'])
  t.equal(networks.inside.internal, true, 'the agent has no other way out')
})

t.test('the documented pod matches the image', async t => {
  const block = parseCodeBlocks(readFileSync('docs/docker.md', 'utf8')).find(({ mark }) => mark === 'kubernetes')!
  const [secret, pod] = parseAllDocuments(block.text).map(document => document.toJS())
  const env = parseEnvironment(image)
  const tokenFiles = Object.keys(secret.stringData).map(name => `/run/secrets/${name}`)
  t.same(tokenFiles, [env.TOOLGATE_TOKEN_FILE, env.TOOLGATE_CALL_TOKEN_FILE])
  const { spec } = pod
  t.equal(spec.automountServiceAccountToken, false)
  t.match(spec.securityContext, { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } })
  const [toolgate, agent] = spec.containers
  t.same(toolgate.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] }
  })
  t.equal(String(toolgate.ports[0].containerPort), env.TOOLGATE_PORT)
  const health = JSON.parse(instructionText(image, 'HEALTHCHECK').split(' CMD ')[1]!)
  for (const probe of [toolgate.startupProbe, toolgate.livenessProbe]) t.same(probe.exec.command, health)
  const mounts = (container: { volumeMounts: { name: string; mountPath: string }[] }) =>
    Object.fromEntries(container.volumeMounts.map(({ name, mountPath }) => [name, mountPath]))
  t.same(mounts(toolgate), {
    workspace: '/workspace',
    state: env.TOOLGATE_STATE_DIR,
    tmp: '/tmp',
    tokens: '/run/secrets'
  })
  t.same(mounts(agent), { 'call-token': '/run/secrets' }, 'the agent has no other secret and no workspace')
  const { items } = spec.volumes.find(({ name }: { name: string }) => name === 'call-token').secret
  t.same(items, [{ key: 'toolgate_call_token', path: 'toolgate_call_token' }], 'the agent cannot approve')
  t.same(agent.env[1], { name: 'TOOLGATE_TOKEN_FILE', value: env.TOOLGATE_CALL_TOKEN_FILE })
  t.same(
    [...toolgate.volumeMounts, ...agent.volumeMounts].map(({ name }) => name).sort(),
    spec.volumes.map(({ name }: { name: string }) => name).sort()
  )
})

function secret(file: string, token: string) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${token}\n`, { mode: 0o600 })
  giveToUser(path.dirname(file))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? address!.port : 0
}
