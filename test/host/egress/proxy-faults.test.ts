// Tests of the proxy with programs and hosts that are hostile, broken, slow or gone.
// tier: quick
import { connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import { once, within } from '../../support/wait.ts'
import { listen } from './fake-network.ts'
import { createEchoServer, sendBytes, startEgress } from './fixture.ts'

t.test('rejects invalid requests', async t => {
  const { egress, outside } = await startEgress(t)
  const BROKEN: Record<string, [bytes: string, status: number]> = {
    'a null in the host': ['CONNECT a.test\0.evil.test:443 HTTP/1.1\r\n\r\n', 400],
    'a header of 20,000 bytes': [`GET http://a.test/ HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    'two lengths': ['POST http://a.test/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', 400],
    'a length and chunks': [
      'POST http://a.test/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400
    ],
    'a backslash in the host': ['GET http://evil.test\\@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n', 400],
    'another protocol': ['\x16\x03\x01\x02\x00\x01\x00', 400]
  }
  for (const [name, [bytes, status]] of Object.entries(BROKEN))
    t.match(await sendBytes(egress.socket, bytes), new RegExp(`^HTTP/1\\.1 ${status} `), name)
  t.strictSame([outside.looked_up, outside.dialled], [[], []])
  const { allowed, refused } = await egress.close()
  t.strictSame(allowed, [])
  t.equal(
    refused.reduce((sum, { attempts }) => sum + attempts, 0),
    Object.keys(BROKEN).length,
    'each is told'
  )
})

t.test('cuts off a response whose headers never end', async t => {
  const upstream = await listen(
    t,
    createServer(socket => {
      socket.on('error', () => {})
      socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`)
    })
  )
  const { egress } = await startEgress(t, { upstream })
  t.match(
    await sendBytes(egress.socket, 'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n'),
    /^HTTP\/1\.1 502 [\s\S]*closed the connection/
  )
})

t.test('reports an invalid response, and forwards the next one', async t => {
  const answers = ['HTTP/1.1 099 Odd\r\n\r\n', 'no answer\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok']
  const upstream = createServer(socket => {
    socket.on('error', () => {}).once('data', () => socket.end(answers.shift() ?? ''))
  })
  const { egress } = await startEgress(t, { upstream: await listen(t, upstream) })
  const get = 'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n'
  t.match(await sendBytes(egress.socket, get), /^HTTP\/1\.1 502 [\s\S]*closed the connection/)
  t.match(await sendBytes(egress.socket, get), /^HTTP\/1\.1 502 [\s\S]*closed the connection/)
  t.match(await sendBytes(egress.socket, get), /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nok$/)
})

t.test('rejects an unrequested protocol upgrade', async t => {
  const answers = ['Upgrade: x\r\nConnection: Upgrade\r\n', '']
  const upstream = createServer(socket => {
    socket.on('error', () => {}).once('data', () => socket.write(`HTTP/1.1 101 Odd\r\n${answers.shift()}\r\n`))
  })
  const { egress } = await startEgress(t, { upstream: await listen(t, upstream) })
  const get = 'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'
  for (const how of ['with its name', 'without'])
    t.match(await sendBytes(egress.socket, get), /^HTTP\/1\.1 502 [\s\S]*closed the connection/, how)
})

t.test('handles clients that are slow, leave, or come too often', async t => {
  t.test('rejects headers that never end', async t => {
    const { egress } = await startEgress(t, { limits: { headersTimeoutMs: 50 } })
    t.match(await sendBytes(egress.socket, 'GET http://a.test/ HTTP/1.1\r\nHo'), /^HTTP\/1\.1 408 /)
  })

  t.test('closes an idle tunnel', async t => {
    const { egress } = await startEgress(t, {
      upstream: await listen(t, createEchoServer()),
      limits: { idleTimeoutMs: 50 }
    })
    t.equal(
      await sendBytes(egress.socket, 'CONNECT a.test:443 HTTP/1.1\r\n\r\n'),
      'HTTP/1.1 200 Connection established\r\n\r\n'
    )
  })

  t.test('handles one broken end of a tunnel', async t => {
    const arrived: Socket[] = []
    const upstream = await listen(
      t,
      createServer({ allowHalfOpen: true }, socket => {
        arrived.push(socket.on('error', () => {}))
        socket.write('hi')
      })
    )
    const { egress } = await startEgress(t, { upstream })
    const tunnel = async () => {
      const client = connect({ path: egress.socket, allowHalfOpen: true }).on('error', () => {})
      client.write('CONNECT a.test:443 HTTP/1.1\r\n\r\n')
      const greeted = new Promise(resolve =>
        client.on('data', part => String(part).endsWith('hi') && resolve(undefined))
      )
      await within('the greeting', greeted)
      return { client, other: arrived.pop()! }
    }
    const first = await tunnel()
    first.other.resetAndDestroy()
    await once(first.client, 'end')
    const second = await tunnel()
    second.client.destroy()
    await once(second.other.resume(), 'end')
  })

  t.test('limits connections', async t => {
    const { egress } = await startEgress(t, {
      upstream: await listen(t, createEchoServer()),
      limits: { connections: 1 }
    })
    const first = connect(egress.socket)
    first.write('CONNECT a.test:443 HTTP/1.1\r\n\r\n')
    await once(first, 'data')
    t.equal(await sendBytes(egress.socket, 'CONNECT a.test:443 HTTP/1.1\r\n\r\n'), '')
    const { allowed, refused } = await egress.close()
    t.strictSame(refused, [{ host: '', port: 0, attempts: 1, reason: 'The command has too many connections at once.' }])
    t.match(allowed, [{ connections: 1 }])
    first.destroy()
  })

  t.test('limits requests in flight per connection', async t => {
    const held: Socket[] = []
    const upstream = await listen(
      t,
      createServer(socket => {
        held.push(socket.on('error', () => {}))
      })
    )
    const { egress, outside } = await startEgress(t, { upstream, limits: { connections: 3 } })
    const get = 'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n'
    const client = connect(egress.socket).on('error', () => {})
    client.write(get.repeat(50))
    while (held.length < 3) await once(upstream, 'connection')
    const { allowed, refused } = await egress.close()
    t.match(allowed, [{ connections: 3 }])
    t.strictSame(refused, [
      {
        host: 'a.test',
        port: 80,
        attempts: 47,
        reason: 'Too many connections are in progress, so a.test was not contacted. Try again.'
      }
    ])
    t.equal(outside.dialled.length, 3)
  })

  t.test('handles a client that leaves while connecting', async t => {
    const dialled = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const upstream = await listen(t, createEchoServer())
    const { egress, outside } = await startEgress(t, { upstream })
    const dial = outside.dial
    outside.dial = async (address, port) => {
      dialled.resolve()
      await left.promise
      return dial(address, port)
    }
    const closed = once(upstream, 'connection').then(([socket]: Socket[]) => once(socket!, 'close'))
    const client = connect(egress.socket)
    client.write('CONNECT a.test:443 HTTP/1.1\r\n\r\n')
    await dialled.promise
    client.destroy()
    await once(client, 'close')
    left.resolve()
    await closed
  })
})
