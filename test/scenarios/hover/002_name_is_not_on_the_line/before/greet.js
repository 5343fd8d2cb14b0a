// @ts-check
/** @param {string} name */
export function greet(name) {
	return ['Hello', name].join(' ')
}
