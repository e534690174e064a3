/**
 * What runs inside of the sandbox around a script. It keeps what it needs of the language before the script can change
 * it; what a script breaks nevertheless is its own result.
 */
export const prelude = `(function () {
  "use strict";
  var parse = JSON.parse, stringify = JSON.stringify, define = Object.defineProperty;
  var names = Object.keys, text = String, isArray = Array.isArray, number = Number, isSafe = Number.isSafeInteger;
  var cut = Function.prototype.call.bind(String.prototype.slice);
  var split = Function.prototype.call.bind(String.prototype.split);
  var at = Reflect.get, root = globalThis;

  function global(name, value) {
    define(root, name, { value: value, writable: true, configurable: true, enumerable: true });
  }
  function withoutNull(value) {
    if (value === null) return undefined;
    if (typeof value !== "object") return value;
    if (isArray(value)) {
      for (var i = 0; i < value.length; i++) value[i] = withoutNull(value[i]);
      return value;
    }
    var keys = names(value);
    for (var k = 0; k < keys.length; k++) {
      var member = value[keys[k]];
      if (member === null || typeof member === "object")
        define(value, keys[k], { value: withoutNull(member), writable: true, configurable: true, enumerable: true });
    }
    return value;
  }
  // sfc32 (C. Doty-Humphrey, public domain)
  var a = 0, b = 0, c = 0, d = 1;
  function random() {
    var t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return (t >>> 0) / 4294967296;
  }
  define(Math, "random", { value: random, writable: true, configurable: true });
  function quiet() {}
  global("console", { log: quiet, info: quiet, warn: quiet, error: quiet, debug: quiet });

  return {
    /** Functions by path ("k8s.isHealthy"), then variables, which hide functions and what the language brings. */
    start: function (json, hasNull, functions, call, seed) {
      a = seed; b = ~seed; c = seed >>> 7;
      for (var r = 0; r < 12; r++) random();
      var paths = parse(functions);
      for (var p = 0; p < paths.length; p++) (function (path) {
        var parts = split(path, "."), holder = root;
        for (var i = 0; i < parts.length - 1; i++) {
          if (!at(holder, parts[i])) define(holder, parts[i], { value: {}, writable: true, configurable: true, enumerable: true });
          holder = holder[parts[i]];
        }
        define(holder, parts[i], {
          value: function () {
            var given = [];
            for (var i = 0; i < arguments.length; i++) define(given, i, { value: arguments[i] === undefined ? null : arguments[i], enumerable: true });
            var answer = parse(call(path, stringify(given)));
            if ("error" in answer) throw new Error(answer.error);
            return withoutNull(answer.value);
          },
          writable: true, configurable: true, enumerable: true,
        });
      })(paths[p]);
      var context = parse(json);
      if (hasNull) context = withoutNull(context);
      var keys = names(context);
      for (var k = 0; k < keys.length; k++) {
        var own = Object.getOwnPropertyDescriptor(root, keys[k]);
        if (!own || own.configurable) global(keys[k], context[keys[k]]);
      }
    },
    finish: function (value) {
      return stringify({
        value: typeof value === "function" || typeof value === "symbol" ? null : value,
        text: text(value),
      }, function (key, member) {
        if (typeof member !== "bigint") return member;
        var short = number(member);
        return isSafe(short) ? short : text(member);
      });
    },
    explain: function (error) {
      var isObject = typeof error === "object" && error !== null;
      var message = isObject && typeof error.message === "string" ? error.message : text(error);
      return stringify({
        name: isObject && typeof error.name === "string" ? cut(error.name, 0, 100) : "",
        message: cut(message, 0, 1000),
        stack: isObject && typeof error.stack === "string" ? cut(error.stack, 0, 20000) : "",
      });
    },
  };
})()`;
