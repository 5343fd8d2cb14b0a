// Fake SMTP server (RFC 5321) with AUTH PLAIN (RFC 4954): it records messages, and refuses recipients as a test says.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { once } from '../support/wait.ts'

export interface ReceivedMail {
  from: string
  to: string[]
  login: string | undefined
  text: string
}

/** Starts a server; `refusals` are answered to RCPT in order. */
export async function startSmtpService(t: Test, refusals: string[] = []) {
  const received: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
    const say = (line: string) => socket.write(`${line}\r\n`)
    let mail: ReceivedMail = { from: '', to: [], login: undefined, text: '' }
    let isData = false
    const commands: Record<string, (line: string) => void> = {
      EHLO: () => say('250-localhost\r\n250 AUTH PLAIN'),
      AUTH: line => {
        mail.login = Buffer.from(line.split(' ')[2]!, 'base64').toString().replaceAll('\0', ' ').trim()
        say('235 2.7.0 Accepted')
      },
      MAIL: line => {
        mail.from = /<(.*)>/.exec(line)![1]!
        say('250 OK')
      },
      RCPT: line => {
        mail.to.push(/<(.*)>/.exec(line)![1]!)
        say(refusals.shift() ?? '250 OK')
      },
      DATA: () => {
        isData = true
        say('354 Go on')
      },
      QUIT: () => socket.end('221 Bye\r\n')
    }
    say('220 localhost ESMTP')
    createInterface({ input: socket }).on('line', line => {
      if (!isData) return (commands[line.slice(0, 4).toUpperCase()] ?? (() => say('502 Unknown')))(line)
      if (line !== '.') {
        mail.text += `${line}\n`
        return
      }
      isData = false
      received.push(mail)
      mail = { from: '', to: [], login: mail.login, text: '' }
      say('250 Queued')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port, received }
}
