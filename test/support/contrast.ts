/**
 * An expression for a page: the visible texts whose contrast with what is behind them is below 4.5 to 1 (WCAG 2.2, 1.4.3), with their
 * element, ratio and colours.
 */
export const FAINT_TEXTS = `(() => {
  const parse = (color) => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (color.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number)
    return { rgb: [red, green, blue], alpha }
  }
  const over = ({ rgb, alpha }, below) => rgb.map((value, index) => value * alpha + below[index] * (1 - alpha))
  const above = (element) => (element === null ? [] : [element, ...above(element.parentElement)])
  const ground = (element) =>
    above(element).reduceRight((below, each) => over(parse(getComputedStyle(each).backgroundColor), below), [255, 255, 255])
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) =>
      value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const faint = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim()
    const element = walker.currentNode.parentElement
    if (text === '' || element.matches('script, noscript, option') || element.getBoundingClientRect().width === 0) continue
    const opacity = above(element).reduce((product, each) => product * Number(getComputedStyle(each).opacity), 1)
    const { rgb, alpha } = parse(getComputedStyle(element).color)
    const below = ground(element)
    const [dark, light] = [luminance(over({ rgb, alpha: alpha * opacity }, below)), luminance(below)].sort((a, b) => a - b)
    const ratio = (light + 0.05) / (dark + 0.05)
    if (ratio < 4.5) faint.add([element.tagName, element.className, ratio.toFixed(2), rgb, 'on', below.map(Math.round), text.slice(0, 20)].join(' '))
  }
  return [...faint]
})()`
