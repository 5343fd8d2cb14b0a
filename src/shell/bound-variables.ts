// Variables that a line gives a value itself, so that they show nothing of the environment.

/** Names of variables in a text, also within commands in it. */
const VARIABLE = /\$(?:\{[!#]?)?([A-Za-z_]\w*|[-?#@*$!\d])/g
/** Variables that the shell sets: numbers, the words of a script, the current folder. */
const OWN = /^(?:[-?#@*$!\d]|RANDOM|SECONDS|LINENO|PWD)$/
/** Matches a path outside the current folder, or of a file that listings hide. */
const ELSEWHERE = /^[/~]|(?:^|[/{,=:\s])(?:\.\.(?:[/,}]|$)|\.[A-Za-z_*?[{$])/

/** Returns true if a word may lead to hidden files or outside, whatever its variables hold. */
export const mayLeadElsewhere = (raw: string) => ELSEWHERE.test(raw.replaceAll(/["'\\]/g, ''))

export class BoundVariables {
  readonly #names = new Set<string>()

  /** Returns the variables in the text whose values come neither from the line nor from the shell. */
  findUnbound(text: string): string[] {
    return [...text.matchAll(VARIABLE)].flatMap(([, name = '']) =>
      OWN.test(name) || this.#names.has(name) ? [] : [name]
    )
  }

  /** Notes a variable that gets one of these values. */
  bind(name: string, values: readonly string[]) {
    if (values.every(value => this.findUnbound(value).length === 0 && !mayLeadElsewhere(value))) this.#names.add(name)
    else this.#names.delete(name)
  }
}
