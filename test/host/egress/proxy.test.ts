// Tests of the proxy's decisions, as a program on its unix socket sees them.
// tier: quick
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { once } from '../../support/wait.ts'
import { listen } from './fake-network.ts'
import { createEchoServer, readAll, sendBytes, startEgress } from './fixture.ts'

t.test('connects a program to its granted host', async t => {
  t.test('forwards plain http, with end-to-end headers', async t => {
    const { egress, requests } = await startEgress(t)
    const answer = await sendBytes(
      egress.socket,
      'POST http://A.test:80/x?y=1#z HTTP/1.1\r\nHost: evil.test\r\nProxy-Authorization: secret\r\nConnection: close, X-Hop\r\n' +
        'X-Hop: 1\r\nX-Kept: 2\r\nContent-Length: 4\r\n\r\nbody'
    )
    t.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nPOST \/x\?y=1 body$/)
    t.notMatch(answer, /x-hop/i)
    t.strictSame(requests, [{ host: 'a.test', 'x-kept': '2', 'content-length': '4', connection: 'close' }])
  })

  t.test('forwards a chunked body in chunks', async t => {
    const { egress, requests } = await startEgress(t)
    const chunks = 'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n4\r\nbody\r\n0\r\n\r\n'
    t.match(await sendBytes(egress.socket, `PUT http://a.test/ HTTP/1.1\r\nHost: a.test\r\n${chunks}`), /PUT \/ body/)
    t.strictSame(requests, [{ host: 'a.test', 'transfer-encoding': 'chunked', connection: 'close' }])
  })

  t.test('answers pipelined requests in order', async t => {
    const { egress } = await startEgress(t)
    const get = (url: string, more = '') => `GET ${url} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
    const answer = await sendBytes(
      egress.socket,
      get('http://a.test/1') + get('http://evil.test/2') + get('http://www.b.test/3', 'Connection: close\r\n')
    )
    // A rejection closes the connection: later data is ignored.
    t.match(answer, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nGET \/1HTTP\/1\.1 403 Forbidden[\s\S]*evil\.test/)
    t.notMatch(answer, /GET \/3/)
  })

  t.test('a tunnel carries any bytes both ways, also when one end has finished', async t => {
    const upstream = await listen(t, createEchoServer())
    const { egress } = await startEgress(t, { upstream })
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 256))
    const client = connect(egress.socket)
    client.write('CONNECT port.test:8443 HTTP/1.1\r\nHost: port.test:8443\r\n\r\nearly ')
    client.end(bytes)
    const answer = await readAll(client)
    const head = 'HTTP/1.1 200 Connection established\r\n\r\n'
    t.equal(answer.subarray(0, head.length).toString(), head)
    t.ok(answer.subarray(head.length).equals(Buffer.concat([Buffer.from('early '), bytes])), 'came back as it went')
    t.strictSame(await egress.close(), {
      allowed: [{ host: 'port.test', port: 8443, connections: 1, sent_bytes: 200_006, received_bytes: 200_006 }],
      refused: []
    })
  })
})

t.test('reports rejections with the reason, and connects to nothing for them', async t => {
  const { egress, outside } = await startEgress(t, { own_ports: [8443] })
  const CASES: [first: string, status: number, host: string, port: number, reason: RegExp][] = [
    ['CONNECT evil.test:443', 403, 'evil.test', 443, /not one of the allowed hosts/],
    ['CONNECT a.test:22', 403, 'a.test', 22, /not one of the allowed hosts/],
    ['CONNECT a.test.evil.test:443', 403, 'a.test.evil.test', 443, /not one of the allowed hosts/],
    ['CONNECT eviLa.test:443', 403, 'eviLa.test', 443, /not one of the allowed hosts/],
    ['CONNECT a.test', 403, 'a.test', 0, /port of the host is missing/],
    ['CONNECT a.test\r\n.evil.test:443', 403, 'a.test', 0, /port of the host is missing/],
    ['CONNECT a.test:0', 403, 'a.test', 0, /port of the host is missing/],
    ['CONNECT a.test:70000', 403, 'a.test', 70_000, /port of the host is missing/],
    ['CONNECT a.test%00.evil.test:443', 403, 'a.test%00.evil.test', 443, /The host name is not valid/],
    ['CONNECT evil.test@a.test:443', 403, 'evil.test@a.test', 443, /The host name is not valid/],
    ['CONNECT 127.0.0.1:443', 403, '127.0.0.1', 443, /a loopback address/],
    ['CONNECT 0x7f.1:443', 403, '0x7f.1', 443, /a loopback address/],
    ['CONNECT [::ffff:127.0.0.1]:443', 403, '[::ffff:127.0.0.1]', 443, /not one of the allowed hosts/],
    ['CONNECT private.test:443', 403, 'private.test', 443, /a private address/],
    ['CONNECT port.test:8443', 403, 'port.test', 8443, /belongs to the Toolgate server/],
    ['CONNECT nowhere.test:443', 502, 'nowhere.test', 443, /no address/],
    ['GET http://evil.test/', 403, 'evil.test', 80, /not one of the allowed hosts/],
    ['GET http://user:pw@a.test/', 403, 'user:pw@a.test', 80, /The host name is not valid/],
    ['GET https://a.test/', 403, '', 0, /use CONNECT/],
    ['GET ftp://a.test/', 403, '', 0, /use CONNECT/],
    ['GET /plain', 403, '', 0, /use CONNECT/]
  ]
  for (const [first, status, , , reason] of CASES) {
    const answer = await sendBytes(egress.socket, `${first} HTTP/1.1\r\nHost: a.test\r\n\r\n`)
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), first)
    t.match(answer.split('\r\n\r\n')[1], reason, first)
  }
  t.strictSame(outside.dialled, [])
  const { allowed, refused } = await egress.close()
  t.strictSame(allowed, [])
  for (const [first, , host, port, reason] of CASES.filter(([, , host]) => host !== '' && host !== 'a.test'))
    t.ok(
      refused.some(row => row.host === host && row.port === port && reason.test(row.reason)),
      `${first} is told`
    )
})

t.test('forwards a header of 10,000 bytes', async t => {
  const { egress, requests } = await startEgress(t)
  const long = 'x'.repeat(10_000)
  const answer = await sendBytes(
    egress.socket,
    `GET http://a.test/ HTTP/1.1\r\nHost: a\r\nX: ${long}\r\nConnection: close\r\n\r\n`
  )
  t.match(answer, /^HTTP\/1\.1 200 /)
  t.equal(requests[0]?.x, long)
})

t.test('resolves a name once per connection, and evaluates each answer', async t => {
  const { egress, outside } = await startEgress(t)
  const get = 'GET http://rebound.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  t.match(await sendBytes(egress.socket, get), /^HTTP\/1\.1 200 /)
  t.match(await sendBytes(egress.socket, get), /^HTTP\/1\.1 403 [\s\S]*a loopback address/)
  t.strictSame([outside.looked_up, outside.dialled], [['rebound.test', 'rebound.test'], ['93.184.215.14 80']])
})

t.test('ends with its command: closes open connections, and leaves nothing', async t => {
  const upstream = await listen(t, createEchoServer())
  const { egress } = await startEgress(t, { upstream })
  const client = connect(egress.socket)
  client.write('CONNECT a.test:443 HTTP/1.1\r\n\r\nhi')
  await once(client, 'data')
  const broken = readAll(client)
  const { allowed } = await egress.close()
  await broken
  t.match(allowed, [{ host: 'a.test', connections: 1, sent_bytes: 2 }])
  t.equal(existsSync(egress.socket), false)
  const late = connect(egress.socket)
  t.match(await once(late, 'error'), [{ code: 'ENOENT' }])
})

t.test('reports a hundred of a thousand hosts, and the number of the others', async t => {
  const { egress } = await startEgress(t)
  const hosts = Array.from({ length: 110 }, (_, i) => `h${i}.test`)
  await Promise.all(hosts.map(host => sendBytes(egress.socket, `CONNECT ${host}:443 HTTP/1.1\r\n\r\n`)))
  const { refused, more } = await egress.close()
  t.strictSame([refused.length, more], [100, 10])
})
