// Fixture: a browser at a hub, as far as it matters to sign-in: it keeps cookies, and sends headers that only browsers set.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Json } from '../start-app.ts'
import { within } from '../support/wait.ts'

export interface BrowserAnswer {
  status: number
  body: Json
  location: string | undefined
  setCookies: string[]
}

export class HubBrowser {
  readonly cookies = new Map<string, string>()
  readonly #port: number
  readonly #host: string

  /** `host`: the Host header. */
  constructor(port: number, host = `127.0.0.1:${port}`) {
    this.#port = port
    this.#host = host
  }

  get origin(): string {
    return `${this.#host.startsWith('127.') ? 'http' : 'https'}://${this.#host}`
  }

  /** Opens an address of the hub, as after a click on another site. */
  navigate(path: string) {
    const site = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    return this.send('GET', path, undefined, site)
  }

  /** Sends a request as the hub's own page does. */
  fromPage(method: string, path: string, body?: object) {
    const origin = method === 'GET' ? {} : { origin: this.origin }
    return this.send(method, path, body, { 'sec-fetch-site': 'same-origin', ...origin })
  }

  async send(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {}
  ): Promise<BrowserAnswer> {
    const cookie = [...this.cookies].map(pair => pair.join('=')).join('; ')
    const sent = request({
      host: '127.0.0.1',
      port: this.#port,
      method,
      path,
      headers: {
        host: this.#host,
        ...(cookie !== '' && { cookie }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers
      }
    })
    sent.end(body && JSON.stringify(body))
    const [answer] = (await within(`the answer to ${method} ${path}`, once(sent, 'response'))) as [IncomingMessage]
    const content = await text(answer)
    const setCookies = answer.headers['set-cookie'] ?? []
    for (const each of setCookies) this.#store(each)
    return {
      status: answer.statusCode!,
      body: content.startsWith('{') ? JSON.parse(content) : content,
      location: answer.headers.location,
      setCookies
    }
  }

  #store(cookie: string) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
    if (/; Max-Age=0(?:;|$)/.test(cookie)) this.cookies.delete(name!)
    else this.cookies.set(name!, value!)
  }
}
