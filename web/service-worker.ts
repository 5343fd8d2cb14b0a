// The service worker of an installed console. It keeps the files of the page for the time without a connection, and nothing else: no data of
// the server, and no request with a token.

/** The events of a service worker, which the types of pages lack. */
interface LifeCycleEvent {
  waitUntil(work: Promise<unknown>): void
}
interface FetchEvent extends LifeCycleEvent {
  request: Request
  respondWith(response: Promise<Response>): void
}
interface ServiceWorker {
  addEventListener(type: 'activate', listener: (event: LifeCycleEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
}

const CACHE = 'toolgate-console'
/** The script that names all others: if it changes, the kept files are of another version. */
const APP = '/web/app.js'
const worker = globalThis as unknown as ServiceWorker

worker.addEventListener('activate', event => event.waitUntil(caches.delete(CACHE)))

worker.addEventListener('fetch', event => {
  const { request } = event
  const { pathname, origin } = new URL(request.url)
  const isOfPage = pathname === '/' || pathname.startsWith('/web/')
  if (request.method === 'GET' && origin === location.origin && isOfPage) event.respondWith(load(event, pathname))
})

/** Asks the server first, so that the page is never older than the server. */
async function load(event: FetchEvent, pathname: string): Promise<Response> {
  const { request } = event
  try {
    // A person may come from a page of another site, whose requests the server refuses unless they are navigations.
    const response = await fetch(request.mode === 'navigate' ? pathname : request)
    if (response.ok) event.waitUntil(keep(request, response.clone(), pathname))
    return response
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(request)
    if (kept) return kept
    throw error
  }
}

async function keep(request: Request, response: Response, pathname: string) {
  const before = pathname === APP ? await (await caches.open(CACHE)).match(request) : undefined
  if (before && before.headers.get('etag') !== response.headers.get('etag')) await caches.delete(CACHE)
  await (await caches.open(CACHE)).put(request, response)
}
