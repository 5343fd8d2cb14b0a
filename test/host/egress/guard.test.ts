// Tests of the connection guard: the attack cases of corpus/urls.json, and invariants of every lookup.
// tier: quick
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { connectGuarded, SYSTEM_NETWORK } from '../../../src/host/egress/guarded-connect.ts'
import { nonPublicReason } from '../../../src/host/egress/ip-addresses.ts'
import { parseAuthority } from '../../../src/host/egress/parse-host.ts'
import type { Json } from '../../start-app.ts'
import { once } from '../../support/wait.ts'
import { catchErrorCode } from '../../tools/fixture.ts'
import { createFakeNetwork, getPort, listen, PUBLIC_IPV4, PUBLIC_IPV6 } from './fake-network.ts'

const CORPUS = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../corpus/urls.json'), 'utf8'))
const OWN_LAN = Object.values(os.networkInterfaces())
  .flat()
  .find(one => one && !one.internal && one.family === 'IPv4')?.address

const server = await listen(t, createServer())
const reach = (text: string, network = createFakeNetwork(server), ownPorts: number[] = []) => {
  const { host, port } = parseAuthority(text, 80)
  return connectGuarded(host, port, { ownPorts, network })
}

/** The others are about more than the target of a connection. */
const OF_HOSTS = ['benign', 'loopback', 'private', 'metadata', 'syntax', 'dns']

for (const { id, group, url, expect, why, dns = {}, accept = [] } of CORPUS.cases as Json[]) {
  if (!OF_HOSTS.includes(group)) continue
  const skip = url.includes('{{SELF_LAN_IP}}') && !OWN_LAN ? 'this machine has no address but loopback' : false
  t.test(`${id} ${why}`, { skip }, async t => {
    const outside = createFakeNetwork(server, { ...CORPUS.default_dns, ...dns })
    const host = /^https?:\/\/(?<host>[^/?#\\]*)/i.exec(url.replace('{{SELF_LAN_IP}}', OWN_LAN))?.groups?.host
    const answer = await catchErrorCode(async () => (await reach(host ?? '', outside)).destroy()).catch(() => 'reached')
    const allowed = expect === 'allow' || accept.some((one: string) => one.startsWith('allow_to:'))
    if (expect === 'allow') t.equal(answer, 'reached')
    else if (!allowed) t.equal(answer, 'URL_BLOCKED')
    for (const dialled of outside.dialled) t.equal(nonPublicReason(dialled.split(' ')[0]!), undefined, dialled)
    if (answer !== 'reached') t.strictSame(outside.dialled, [], 'refused before anything is dialled')
    t.ok(outside.looked_up.length <= 1, 'looked up once at most')
  })
}

t.test('classifies addresses', async t => {
  const KINDS: Record<string, string | undefined> = {
    [PUBLIC_IPV4]: undefined,
    [PUBLIC_IPV6]: undefined,
    '::ffff:93.184.215.14': undefined,
    '64:ff9b::5db8:d70e': undefined,
    '0.0.0.0': 'the unspecified address',
    '::': 'the unspecified address',
    '127.0.0.1': 'a loopback address',
    '127.255.255.254': 'a loopback address',
    '::1': 'a loopback address',
    '::ffff:7f00:1': 'a loopback address',
    '64:ff9b::7f00:1': 'a loopback address',
    '64:ff9b::a9fe:a9fe': 'a cloud metadata address',
    '10.0.0.1': 'a private address',
    '172.31.255.255': 'a private address',
    '192.168.0.1': 'a private address',
    '100.64.0.1': 'a private address',
    'fd12::1': 'a private address',
    'fec0::1': 'a private address',
    '169.254.0.1': 'a link-local address',
    'fe80::1': 'a link-local address',
    '224.0.0.1': 'a multicast address',
    'ff02::1': 'a multicast address',
    '255.255.255.255': 'a broadcast address',
    '169.254.169.254': 'a cloud metadata address',
    '::ffff:169.254.169.254': 'a cloud metadata address',
    '169.254.170.2': 'a cloud metadata address',
    '168.63.129.16': 'a cloud metadata address',
    '100.100.100.200': 'a cloud metadata address',
    'fd00:ec2::254': 'a cloud metadata address',
    '::7f00:1': 'a translated address',
    '::ffff:0:7f00:1': 'a translated address',
    '64:ff9b:1::7f00:1': 'a translated address',
    '2002:7f00:1::': 'a translated address',
    '2001::1': 'a translated address',
    '192.0.2.1': 'a reserved address',
    '198.18.0.1': 'a reserved address',
    '240.0.0.1': 'a reserved address',
    '2001:db8::1': 'a reserved address',
    '100::1': 'a reserved address',
    '4000::1': 'a reserved address',
    'fe80::1%lo': 'not an address',
    '0x7f.1': 'not an address',
    '127.1': 'not an address',
    '': 'not an address',
    'example.com': 'not an address'
  }
  const addresses = Object.keys(KINDS)
  t.strictSame(Object.fromEntries(addresses.map(address => [address, nonPublicReason(address)])), KINDS)
})

t.test('no private IPv4 address passes in any IPv6 form', async () => {
  const octet = fc.integer({ min: 0, max: 255 })
  const inside = fc.oneof(
    fc.tuple(fc.constant(10), octet, octet, octet),
    fc.tuple(fc.constant(127), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet)
  )
  const forms: ((hex: string) => string)[] = [
    hex => `::ffff:${hex}`,
    hex => `::${hex}`,
    hex => `::ffff:0:${hex}`,
    hex => `64:ff9b::${hex}`,
    hex => `64:ff9b:1::${hex}`,
    hex => `2002:${hex}::1`,
    hex => `2001:0:${hex}::1`
  ]
  fc.assert(
    fc.property(inside, fc.constantFrom(...forms), ([a, b, c, d], form) => {
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      return nonPublicReason(form(hex)) !== undefined
    })
  )
})

t.test('a rejection names the kind of target, and its address only if that reveals nothing of a network', async t => {
  const outside = createFakeNetwork(server, { 'mirror.test': [['203.0.113.80']], 'inside.test': [['10.1.2.3']] })
  const refused = (host: string, message: string) => t.rejects(reach(host, outside), { message })
  await refused('mirror.test', 'mirror.test resolves to 203.0.113.80, a reserved address.')
  await refused('inside.test', 'inside.test resolves to a private address.')
  await refused('127.0.0.1', '127.0.0.1 is a loopback address.')
})

t.test('rejects a name with any non-public address', async t => {
  for (const addresses of [
    [PUBLIC_IPV4, '10.0.0.1'],
    [PUBLIC_IPV6, PUBLIC_IPV4, '169.254.169.254']
  ]) {
    const outside = createFakeNetwork(server, { 'mixed.test': [addresses] })
    t.equal(await catchErrorCode(() => reach('mixed.test', outside)), 'URL_BLOCKED')
    t.strictSame(outside.dialled, [])
  }
})

t.test("also rejects this machine's public address", async t => {
  const { networkInterfaces } = os
  const facing = (interfaces: typeof networkInterfaces) => {
    os.networkInterfaces = interfaces
    syncBuiltinESMExports()
  }
  t.teardown(() => facing(networkInterfaces))
  const of = (address: string, family: 'IPv4' | 'IPv6') =>
    ({ address, family, netmask: '', mac: '', internal: false, cidr: null, scopeid: 0 }) as os.NetworkInterfaceInfo
  facing(() => ({ eth0: [of(PUBLIC_IPV4, 'IPv4'), of(`${PUBLIC_IPV6}%eth0`, 'IPv6')] }))
  for (const address of [PUBLIC_IPV4, PUBLIC_IPV6, `::ffff:${PUBLIC_IPV4}`])
    t.equal(nonPublicReason(address), 'an address of this machine', address)
})

t.test('resolves a name once, and connects to the resolved address', async t => {
  const outside = createFakeNetwork(server, { 'turning.test': [[PUBLIC_IPV4], ['127.0.0.1']] })
  const socket = await reach('turning.test', outside)
  socket.destroy()
  t.strictSame([outside.looked_up, outside.dialled], [['turning.test'], [`${PUBLIC_IPV4} 80`]])
})

t.test('tries the next address if one does not respond', async t => {
  const outside = createFakeNetwork(server, { 'two.test': [[PUBLIC_IPV6, PUBLIC_IPV4]] })
  const dial = outside.dial
  const socket = await reach('two.test', {
    ...outside,
    dial: async (address, port) => {
      const socket = await dial(address, port)
      if (address !== PUBLIC_IPV6) return socket
      socket.destroy()
      throw new Error('no route')
    }
  })
  socket.destroy()
  t.strictSame(outside.dialled, [`${PUBLIC_IPV6} 80`, `${PUBLIC_IPV4} 80`])
})

t.test('handles names without an address, and without a listener', async t => {
  t.equal(
    await catchErrorCode(() => reach('nowhere.test', createFakeNetwork(server, { 'nowhere.test': [[]] }))),
    'NETWORK_ERROR'
  )
  t.equal(await catchErrorCode(() => reach('down.test', createFakeNetwork(undefined))), 'NETWORK_ERROR')
})

t.test('the port that the server listens on is never reached', async t => {
  const outside = createFakeNetwork(server)
  t.equal(await catchErrorCode(() => reach('a.test:4711', outside, [4711])), 'URL_BLOCKED')
  t.strictSame([outside.looked_up, outside.dialled], [[], []])
})

t.test('connects to one address only', async t => {
  const accepted = once(server, 'connection')
  const socket = await SYSTEM_NETWORK.dial('127.0.0.1', getPort(server))
  t.equal(socket.remoteAddress, '127.0.0.1')
  socket.destroy()
  const [other] = await accepted
  other.destroy()
  await t.rejects(SYSTEM_NETWORK.dial('127.0.0.2', 1), 'nobody listens there')
  await t.rejects(SYSTEM_NETWORK.dial('0.0.0.0', getPort(server)), {
    message: 'The connection leads to another host than the requested one.'
  })
  t.ok((await SYSTEM_NETWORK.lookup('localhost')).some(address => /^(127\.|::1)/.test(address)))
})
