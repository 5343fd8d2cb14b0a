// Provides `t` to test files that share a process: the subtest of the current file.
import t, { type Test } from 'tap'

let current: Test = t

export function enterFile(test: Test) {
  current = test
}

export default new Proxy({} as Test, {
  get(_, name) {
    const value = Reflect.get(current, name)
    return typeof value === 'function' ? value.bind(current) : value
  },
  set: (_, name, value) => Reflect.set(current, name, value)
})
