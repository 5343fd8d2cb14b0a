// Cookies of requests.

/** Returns the value of a cookie. Undefined if there is none, or several: another site of the domain may have set one of them. */
export function readCookie(cookies = '', name: string): string | undefined {
  const values = cookies.split(';').flatMap(pair => {
    const at = pair.indexOf('=')
    return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })
  return values.length === 1 ? values[0] : undefined
}
