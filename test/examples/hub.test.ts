// The examples of a hub, as compose and Kubernetes read them: every flag, variable, secret, volume and address in them is there.
// tier: full
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { createProject } from '../cli/toolgate.ts'
import type { Json } from '../start-app.ts'

const PORT = 7780
const read = (name: string) => readFileSync(`examples/hub/${name}.yaml`, 'utf8')
const argumentOf = (args: string[], flag: string) => args[args.indexOf(flag) + 1]!
const variables = readFileSync('docs/configuration.md', 'utf8')

/** Checks that the program has the flags of a command line. */
async function checkFlags(t: Test, words: readonly string[], args: readonly string[]) {
  const { program } = createProject(t)
  const { stdout } = await program([...words, '--help'])
  for (const flag of args.filter(word => word.startsWith('--')))
    t.match(stdout, new RegExp(`^ *${flag}\\b`, 'm'), `toolgate ${words.join(' ')} has ${flag}`)
}

/** Checks the commands in the comments, which a person types. */
async function checkComments(t: Test, text: string) {
  const enroll = /toolgate hub enroll (.*?) --json/.exec(text)![1]!
  await checkFlags(t, ['hub', 'enroll'], enroll.split(' '))
  const serve = /run --rm -T \$server serve (.*) </.exec(text)?.[1] ?? ''
  if (serve !== '') await checkFlags(t, ['serve'], serve.split(' '))
}

const checkVariables = (t: Test, names: readonly string[]) => {
  for (const name of names.filter(each => each.startsWith('TOOLGATE_'))) t.ok(variables.includes(name), name)
}

t.test('compose', async t => {
  const text = read('compose')
  const { services, secrets, volumes, configs } = parse(text, { merge: true })
  const all = Object.values<Json>(services)
  for (const { secrets: needed = [], volumes: mounted = [] } of all) {
    for (const name of needed) t.ok(secrets[name], name)
    for (const mount of mounted) t.ok(mount.startsWith('./') || mount.split(':')[0] in volumes, mount)
  }
  const caddyfile: string = configs.caddyfile.content
  const [name, upstreams] = [/^(\S+) \{/.exec(caddyfile)![1], /reverse_proxy (.*) \{/.exec(caddyfile)![1]!]
  t.same(
    upstreams.split(' '),
    ['hub-a', 'hub-b'].map(hub => `${hub}:${PORT}`)
  )
  t.same(services.proxy.networks.default.aliases, [name])
  for (const [, file] of caddyfile.matchAll(/\/run\/secrets\/(\w+)/g))
    t.ok(services.proxy.secrets.includes(file), String(file))
  for (const { command, secrets: needed } of [services['hub-a'], services['hub-b']]) {
    const [first, ...args] = command
    t.equal(first, 'hub')
    await checkFlags(t, ['hub'], args)
    t.equal(argumentOf(args, '--allowed-host'), name)
    t.same(
      [argumentOf(args, '--token-file'), argumentOf(args, '--rules-key')],
      needed.map((each: string) => `/run/secrets/${each}`)
    )
    t.equal(new URL(argumentOf(args, '--database')).hostname, 'database')
  }
  for (const { environment, secrets: needed } of [services['server-1'], services['server-2']]) {
    checkVariables(t, Object.keys(environment))
    t.equal(environment.TOOLGATE_HUB_URL, `https://${name}`)
    t.ok(needed.some((each: string) => environment.NODE_EXTRA_CA_CERTS === `/run/secrets/${each}`))
  }
  await checkComments(t, text)
})

t.test('Kubernetes', async t => {
  const text = read('kubernetes')
  const documents = parseAllDocuments(text)
  t.same(
    documents.flatMap(({ errors }) => errors),
    []
  )
  const [hubSecret, deployment, service, ingress, serverSecret, pod] = documents.map(each => each.toJS())
  const { spec } = deployment.spec.template
  const [hub] = spec.containers
  const [first, ...args] = hub.args
  t.equal(first, 'hub')
  await checkFlags(t, ['hub'], args)
  t.ok(argumentOf(args, '--token-file') === '/run/secrets/hub_token' && hubSecret.stringData.hub_token)
  t.ok(argumentOf(args, '--rules-key') === '/run/secrets/hub_rules_key' && hubSecret.stringData.hub_rules_key)
  t.ok(hubSecret.stringData[hub.env[0].valueFrom.secretKeyRef.key])
  const { httpGet } = hub.readinessProbe
  t.same(
    [hub.ports[0].containerPort, httpGet.port, hub.livenessProbe.tcpSocket.port, service.spec.ports[0].port],
    [PORT, PORT, PORT, PORT]
  )
  t.same(httpGet.httpHeaders, [{ name: 'Host', value: `localhost:${PORT}` }])
  t.same(service.spec.selector, deployment.spec.template.metadata.labels)
  const [rule] = ingress.spec.rules
  t.equal(rule.host, argumentOf(args, '--allowed-host'))
  t.same(rule.http.paths[0].backend.service, { name: service.metadata.name, port: { number: PORT } })
  const [server] = pod.spec.containers
  const env = Object.fromEntries(server.env.map(({ name, value }: Json) => [name, value]))
  checkVariables(t, Object.keys(env))
  t.equal(env.TOOLGATE_HUB_URL, `https://${rule.host}`)
  t.ok(serverSecret.stringData[env.TOOLGATE_HUB_TOKEN_FILE.split('/').at(-1)])
  for (const { containers, volumes } of [spec, pod.spec])
    t.same(
      containers[0].volumeMounts.map(({ name }: Json) => name),
      volumes.map(({ name }: Json) => name)
    )
  await checkComments(t, text)
})
